# One model asked one benchmark: its predictions.
for step in GRAPH.steps("evaluate"):

    rule:
        name:
            f"{step.stage}_{step.benchmark}"
        input:
            inputs_of(GRAPH, step),
        output:
            outputs_of(step),
        log:
            log_of(step),
        params:
            job=job_of(step),
        shell:
            "whatif {params.job} 2>&1 | tee {log}"
