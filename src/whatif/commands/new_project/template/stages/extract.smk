# extract: sources: images, captions, released questions.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule extract_my_benchmark:
    output:
        "data/extract/my-benchmark/images.parquet",
        "data/extract/my-benchmark/shelves.parquet",
    log:
        "logs/extract/my-benchmark.log",
    priority: 6
    group:
        group_for("extract_my_benchmark")
    resources:
        **resources_for("extract_my_benchmark"),
    shell:
        "whatif extract my-benchmark > {log} 2>&1"
