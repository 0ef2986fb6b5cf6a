# verify: checks by people or by counting again: the questions that models are asked.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule verify_my_benchmark:
    input:
        "data/extract/my-benchmark/images.parquet",
        "data/filter/my-benchmark/questions.parquet",
    output:
        "data/verify/my-benchmark/questions.parquet",
        "data/verify/my-benchmark/judgements.parquet",
        "data/verify/my-benchmark/rejections.parquet",
    log:
        "logs/verify/my-benchmark.log",
    priority: 3
    group:
        group_for("verify_my_benchmark")
    resources:
        **resources_for("verify_my_benchmark"),
    shell:
        "whatif verify my-benchmark > {log} 2>&1"
