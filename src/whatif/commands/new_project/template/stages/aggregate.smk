# aggregate: numbers and tables, beside the reported ones.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   all_of: the files of a pattern, for all values of its wildcards but those to keep
#   others: what the rule reads of other benchmarks that are selected
#   published: tables and figures; they are in `snakemake --report`
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule aggregate_my_benchmark_shortcuts:
    input:
        "data/verify/my-benchmark/questions.parquet",
    output:
        "data/aggregate/my-benchmark/shortcuts.parquet",
    log:
        "logs/aggregate/my-benchmark/shortcuts.log",
    priority: 1
    group:
        group_for("aggregate_my_benchmark_shortcuts")
    resources:
        **resources_for("aggregate_my_benchmark_shortcuts"),
    shell:
        "whatif aggregate my-benchmark --step shortcuts > {log} 2>&1"


rule aggregate_my_benchmark:
    input:
        "data/extract/my-benchmark/images.parquet",
        "data/generate/my-benchmark/questions.parquet",
        "data/filter/my-benchmark/rejections.parquet",
        "data/verify/my-benchmark/rejections.parquet",
        "data/verify/my-benchmark/questions.parquet",
        "data/aggregate/my-benchmark/shortcuts.parquet",
        all_of("data/evaluate/{model}/my-benchmark/predictions.parquet"),
    output:
        "data/aggregate/my-benchmark/items.parquet",
        "data/aggregate/my-benchmark/views.parquet",
        "data/aggregate/my-benchmark/printed.parquet",
        "data/aggregate/my-benchmark/files.parquet",
        published("aggregate_my_benchmark"),
    log:
        "logs/aggregate/my-benchmark.log",
    priority: 1
    group:
        group_for("aggregate_my_benchmark")
    resources:
        **resources_for("aggregate_my_benchmark"),
    shell:
        "whatif aggregate my-benchmark --step aggregate > {log} 2>&1"


rule aggregate_site:
    input:
        others("aggregate_site"),
    output:
        "data/aggregate/site/files.parquet",
        "data/aggregate/site/pictures.parquet",
    log:
        "logs/aggregate/site.log",
    priority: 1
    group:
        group_for("aggregate_site")
    resources:
        **resources_for("aggregate_site"),
    shell:
        "whatif aggregate site > {log} 2>&1"
