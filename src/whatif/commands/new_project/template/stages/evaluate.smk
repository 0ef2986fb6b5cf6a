# evaluate: one model asked one benchmark: its predictions, or how it matches captions and images.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule evaluate_my_benchmark:
    input:
        "data/verify/my-benchmark/questions.parquet",
        "data/extract/my-benchmark/images.parquet",
    output:
        "data/evaluate/{model}/my-benchmark/predictions.parquet",
    log:
        "logs/evaluate/my-benchmark/{model}.log",
    priority: 2
    group:
        group_for("evaluate_my_benchmark")
    resources:
        **resources_for("evaluate_my_benchmark"),
    shell:
        "whatif evaluate my-benchmark --model {wildcards.model} > {log} 2>&1"
