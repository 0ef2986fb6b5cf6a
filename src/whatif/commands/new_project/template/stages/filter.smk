# filter: automatic filters: what is left, and what was rejected for which reason.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule filter_my_benchmark:
    input:
        "data/extract/my-benchmark/shelves.parquet",
        "data/generate/my-benchmark/questions.parquet",
    output:
        "data/filter/my-benchmark/questions.parquet",
        "data/filter/my-benchmark/rejections.parquet",
    log:
        "logs/filter/my-benchmark.log",
    priority: 4
    group:
        group_for("filter_my_benchmark")
    resources:
        **resources_for("filter_my_benchmark"),
    shell:
        "whatif filter my-benchmark > {log} 2>&1"
