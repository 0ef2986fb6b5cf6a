# filter: automatic filters: what is left, and what was rejected for which reason.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   all_of: the files of a pattern, for all values of its wildcards but those to keep
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule filter_cvqa_synthetic:
    input:
        all_of("data/generate/cvqa-synthetic/puzzles/{part}.parquet"),
        all_of("data/generate/cvqa-synthetic/questions/{part}.parquet"),
    output:
        "data/filter/cvqa-synthetic/questions.parquet",
        "data/filter/cvqa-synthetic/rejections.parquet",
    log:
        "logs/filter/cvqa-synthetic.log",
    priority: 4
    group:
        group_for("filter_cvqa_synthetic")
    resources:
        **resources_for("filter_cvqa_synthetic"),
    shell:
        "whatif filter cvqa-synthetic > {log} 2>&1"


rule filter_cvqa_real:
    input:
        "data/generate/cvqa-real/questions.parquet",
        "data/generate/cvqa-real/written.parquet",
    output:
        "data/filter/cvqa-real/questions.parquet",
        "data/filter/cvqa-real/rejections.parquet",
    log:
        "logs/filter/cvqa-real.log",
    priority: 4
    group:
        group_for("filter_cvqa_real")
    resources:
        **resources_for("filter_cvqa_real"),
    shell:
        "whatif filter cvqa-real > {log} 2>&1"


rule filter_scenes:
    input:
        all_of("data/generate/scenes/images/{part}.parquet"),
        all_of("data/generate/scenes/pairs/{part}.parquet"),
    output:
        "data/filter/scenes/pairs.parquet",
        "data/filter/scenes/rejections.parquet",
    log:
        "logs/filter/scenes.log",
    priority: 4
    group:
        group_for("filter_scenes")
    resources:
        **resources_for("filter_scenes"),
    shell:
        "whatif filter scenes > {log} 2>&1"


rule filter_coco_counterfactuals:
    input:
        "data/generate/coco-counterfactuals/pairs/{part}.parquet",
    output:
        "data/filter/coco-counterfactuals/pairs/{part}.parquet",
        "data/filter/coco-counterfactuals/images/{part}.parquet",
        "data/filter/coco-counterfactuals/rejections/{part}.parquet",
    log:
        "logs/filter/coco-counterfactuals/{part}.log",
    priority: 4
    group:
        group_for("filter_coco_counterfactuals")
    resources:
        **resources_for("filter_coco_counterfactuals"),
    shell:
        "whatif filter coco-counterfactuals --step filter --part {wildcards.part} > {log} 2>&1"


rule filter_coco_counterfactuals_unshared:
    input:
        all_of("data/filter/coco-counterfactuals/pairs/{part}.parquet"),
    output:
        "data/filter/coco-counterfactuals/unshared-pairs.parquet",
        "data/filter/coco-counterfactuals/unshared-images.parquet",
    log:
        "logs/filter/coco-counterfactuals/unshared.log",
    priority: 4
    group:
        group_for("filter_coco_counterfactuals_unshared")
    resources:
        **resources_for("filter_coco_counterfactuals_unshared"),
    shell:
        "whatif filter coco-counterfactuals --step unshared > {log} 2>&1"


rule filter_cfmm:
    input:
        "data/generate/cfmm/checked.parquet",
        all_of("data/generate/{writer}/cfmm/expanded.parquet"),
    output:
        "data/filter/cfmm/questions.parquet",
        "data/filter/cfmm/rejections.parquet",
    log:
        "logs/filter/cfmm.log",
    priority: 4
    group:
        group_for("filter_cfmm")
    resources:
        **resources_for("filter_cfmm"),
    shell:
        "whatif filter cfmm > {log} 2>&1"


rule filter_mucr:
    input:
        "data/generate/mucr/descriptions.parquet",
        "data/extract/mucr/provided.parquet",
        all_of("data/generate/mucr/candidates/{generator}/{part}.parquet"),
        all_of("data/generate/mucr/undrawn/{generator}/{part}.parquet"),
        "data/extract/mucr/images.parquet",
        all_of("data/generate/mucr/drawn-images/{generator}/{part}.parquet"),
    output:
        "data/filter/mucr/preselected.parquet",
        "data/filter/mucr/rejections.parquet",
    log:
        "logs/filter/mucr.log",
    priority: 4
    group:
        group_for("filter_mucr")
    resources:
        **resources_for("filter_mucr"),
    shell:
        "whatif filter mucr > {log} 2>&1"
