# extract: sources: images, captions, released questions.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule extract_cvqa_synthetic:
    output:
        "data/extract/cvqa-synthetic/flowers.parquet",
        "data/extract/cvqa-synthetic/rejections.parquet",
    log:
        "logs/extract/cvqa-synthetic.log",
    priority: 6
    group:
        group_for("extract_cvqa_synthetic")
    resources:
        **resources_for("extract_cvqa_synthetic"),
    shell:
        "whatif extract cvqa-synthetic > {log} 2>&1"


rule extract_cvqa_real:
    output:
        "data/extract/cvqa-real/questions.parquet",
        "data/extract/cvqa-real/images.parquet",
        "data/extract/cvqa-real/missing.parquet",
        "data/extract/cvqa-real/rejections.parquet",
    log:
        "logs/extract/cvqa-real.log",
    priority: 6
    group:
        group_for("extract_cvqa_real")
    resources:
        **resources_for("extract_cvqa_real"),
    shell:
        "whatif extract cvqa-real > {log} 2>&1"


rule extract_scenes:
    output:
        "data/extract/scenes/images.parquet",
        "data/extract/scenes/questions.parquet",
        "data/extract/scenes/rejections.parquet",
    log:
        "logs/extract/scenes.log",
    priority: 6
    group:
        group_for("extract_scenes")
    resources:
        **resources_for("extract_scenes"),
    shell:
        "whatif extract scenes > {log} 2>&1"


rule extract_coco_counterfactuals:
    output:
        "data/extract/coco-counterfactuals/captions.parquet",
        "data/extract/coco-counterfactuals/images.parquet",
        "data/extract/coco-counterfactuals/rejections.parquet",
        "data/extract/coco-counterfactuals/missing.parquet",
    log:
        "logs/extract/coco-counterfactuals.log",
    priority: 6
    group:
        group_for("extract_coco_counterfactuals")
    resources:
        **resources_for("extract_coco_counterfactuals"),
    shell:
        "whatif extract coco-counterfactuals > {log} 2>&1"


rule extract_coco_counterfactuals_training:
    output:
        "data/extract/coco-counterfactuals-training/pairs.parquet",
        "data/extract/coco-counterfactuals-training/images.parquet",
        "data/extract/coco-counterfactuals-training/judgements.parquet",
        "data/extract/coco-counterfactuals-training/originals.parquet",
        "data/extract/coco-counterfactuals-training/photographs.parquet",
        "data/extract/coco-counterfactuals-training/rejections.parquet",
    log:
        "logs/extract/coco-counterfactuals-training.log",
    priority: 6
    group:
        group_for("extract_coco_counterfactuals_training")
    resources:
        **resources_for("extract_coco_counterfactuals_training"),
    shell:
        "whatif extract coco-counterfactuals-training --step extract > {log} 2>&1"


rule extract_coco_counterfactuals_training_retrieval:
    output:
        "data/extract/coco-counterfactuals-training/retrieval.parquet",
        "data/extract/coco-counterfactuals-training/retrieval-images.parquet",
        "data/extract/coco-counterfactuals-training/retrieval-rejections.parquet",
    log:
        "logs/extract/coco-counterfactuals-training/retrieval.log",
    priority: 6
    group:
        group_for("extract_coco_counterfactuals_training_retrieval")
    resources:
        **resources_for("extract_coco_counterfactuals_training_retrieval"),
    shell:
        "whatif extract coco-counterfactuals-training --step retrieval > {log} 2>&1"


rule extract_coco_counterfactuals_training_classification:
    output:
        "data/extract/coco-counterfactuals-training/classes/{data_set}.parquet",
        "data/extract/coco-counterfactuals-training/labelled/{data_set}.parquet",
        "data/extract/coco-counterfactuals-training/labelled-images/{data_set}.parquet",
        "data/extract/coco-counterfactuals-training/labelled-rejections/{data_set}.parquet",
    log:
        "logs/extract/coco-counterfactuals-training/classification/{data_set}.log",
    priority: 6
    group:
        group_for("extract_coco_counterfactuals_training_classification")
    resources:
        **resources_for("extract_coco_counterfactuals_training_classification"),
    shell:
        "whatif extract coco-counterfactuals-training --step classification --data_set {wildcards.data_set} > {log} 2>&1"


rule extract_coco_counterfactuals_training_predictions:
    output:
        "data/extract/coco-counterfactuals-training/imported.parquet",
        "data/extract/coco-counterfactuals-training/imported-classes.parquet",
    log:
        "logs/extract/coco-counterfactuals-training/predictions.log",
    priority: 6
    group:
        group_for("extract_coco_counterfactuals_training_predictions")
    resources:
        **resources_for("extract_coco_counterfactuals_training_predictions"),
    shell:
        "whatif extract coco-counterfactuals-training --step predictions > {log} 2>&1"


rule extract_cfmm:
    output:
        "data/extract/cfmm/images.parquet",
        "data/extract/cfmm/candidates.parquet",
        "data/extract/cfmm/examples.parquet",
        "data/extract/cfmm/rejections.parquet",
    log:
        "logs/extract/cfmm.log",
    priority: 6
    group:
        group_for("extract_cfmm")
    resources:
        **resources_for("extract_cfmm"),
    shell:
        "whatif extract cfmm > {log} 2>&1"


rule extract_mucr:
    output:
        "data/extract/mucr/pairs.parquet",
        "data/extract/mucr/provided.parquet",
        "data/extract/mucr/images.parquet",
        "data/extract/mucr/rejections.parquet",
    log:
        "logs/extract/mucr.log",
    priority: 6
    group:
        group_for("extract_mucr")
    resources:
        **resources_for("extract_mucr"),
    shell:
        "whatif extract mucr > {log} 2>&1"
