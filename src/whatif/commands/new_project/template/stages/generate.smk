# generate: counterfactual questions, captions and images, in parts.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule generate_my_benchmark:
    input:
        "data/extract/my-benchmark/shelves.parquet",
    output:
        "data/generate/my-benchmark/questions.parquet",
    log:
        "logs/generate/my-benchmark.log",
    priority: 5
    group:
        group_for("generate_my_benchmark")
    resources:
        **resources_for("generate_my_benchmark"),
    shell:
        "whatif generate my-benchmark > {log} 2>&1"
