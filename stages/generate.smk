# Counterfactual questions, captions and pictures, in parts.
for step in GRAPH.steps("generate"):

    rule:
        name:
            step.rule
        input:
            inputs_of(GRAPH, step),
        output:
            outputs_of(step),
        log:
            log_of(step),
        group:
            group_for(step)
        resources:
            **resources_of(GRAPH, step),
        params:
            job=job_of(step),
        shell:
            "whatif {params.job} 2>&1 | tee {log}"
