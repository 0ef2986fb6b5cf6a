# A rule for each step of each benchmark, stage by stage. What a step reads, makes and runs is declared beside its
# function, in src/whatif/benchmarks/BENCHMARK/steps.py; `snakemake --list` names the rules.
for stage in STAGES:
    for step in GRAPH.steps(stage):

        rule:
            name:
                step.rule
            input:
                inputs_of(GRAPH, step),
            output:
                [in_report(path, step) for path in outputs_of(step)],
            log:
                log_of(step),
            priority: priority_of(step)
            group:
                group_for(step)
            resources:
                **resources_for(step),
            params:
                job=job_of(GRAPH, step),
            # Snakemake evaluates this text when the job runs: only what is in braces belongs to the rule.
            shell:
                "whatif {params.job} > {log} 2>&1"

        workflow.get_rule(step.rule).docstring = STAGES[stage]
