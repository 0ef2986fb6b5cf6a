# generate: counterfactual questions, captions and images, in parts.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   all_of: the files of a pattern, for all values of its wildcards but those to keep
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule generate_cvqa_synthetic:
    input:
        "data/extract/cvqa-synthetic/flowers.parquet",
    output:
        "data/generate/cvqa-synthetic/images/{part}.parquet",
        "data/generate/cvqa-synthetic/puzzles/{part}.parquet",
        "data/generate/cvqa-synthetic/questions/{part}.parquet",
    log:
        "logs/generate/cvqa-synthetic/{part}.log",
    priority: 5
    group:
        group_for("generate_cvqa_synthetic")
    resources:
        **resources_for("generate_cvqa_synthetic"),
    shell:
        "whatif generate cvqa-synthetic --part {wildcards.part} > {log} 2>&1"


rule generate_cvqa_real_annotate:
    input:
        "data/extract/cvqa-real/questions.parquet",
    output:
        "data/generate/cvqa-real/annotated.parquet",
        "data/generate/cvqa-real/annotations.parquet",
        "data/generate/cvqa-real/annotation-gold.parquet",
        "data/generate/cvqa-real/unannotated.parquet",
    log:
        "logs/generate/cvqa-real/annotate.log",
    priority: 5
    group:
        group_for("generate_cvqa_real_annotate")
    resources:
        **resources_for("generate_cvqa_real_annotate"),
    shell:
        "whatif generate cvqa-real --step annotate > {log} 2>&1"


rule generate_cvqa_real_rules:
    input:
        "data/extract/cvqa-real/questions.parquet",
    output:
        "data/generate/cvqa-real/by-rules.parquet",
        "data/generate/cvqa-real/unchanged.parquet",
    log:
        "logs/generate/cvqa-real/rules.log",
    priority: 5
    group:
        group_for("generate_cvqa_real_rules")
    resources:
        **resources_for("generate_cvqa_real_rules"),
    shell:
        "whatif generate cvqa-real --step rules > {log} 2>&1"


rule generate_cvqa_real_write:
    input:
        "data/extract/cvqa-real/questions.parquet",
        "data/generate/cvqa-real/annotated.parquet",
    output:
        "data/generate/{writer}/cvqa-real/by-model.parquet",
        "data/generate/{writer}/cvqa-real/replies.parquet",
        "data/generate/{writer}/cvqa-real/unwritten.parquet",
    log:
        "logs/generate/cvqa-real/write/{writer}.log",
    priority: 5
    group:
        group_for("generate_cvqa_real_write")
    resources:
        **resources_for("generate_cvqa_real_write"),
    shell:
        "whatif generate cvqa-real --step write --writer {wildcards.writer} > {log} 2>&1"


rule generate_cvqa_real:
    input:
        "data/extract/cvqa-real/questions.parquet",
        "data/generate/cvqa-real/annotated.parquet",
        "data/generate/cvqa-real/by-rules.parquet",
        all_of("data/generate/{writer}/cvqa-real/by-model.parquet"),
    output:
        "data/generate/cvqa-real/questions.parquet",
        "data/generate/cvqa-real/written.parquet",
    log:
        "logs/generate/cvqa-real.log",
    priority: 5
    group:
        group_for("generate_cvqa_real")
    resources:
        **resources_for("generate_cvqa_real"),
    shell:
        "whatif generate cvqa-real --step generate > {log} 2>&1"


rule generate_scenes:
    output:
        "data/generate/scenes/images/{part}.parquet",
        "data/generate/scenes/pairs/{part}.parquet",
    log:
        "logs/generate/scenes/{part}.log",
    priority: 5
    group:
        group_for("generate_scenes")
    resources:
        **resources_for("generate_scenes"),
    shell:
        "whatif generate scenes --part {wildcards.part} > {log} 2>&1"


rule generate_coco_counterfactuals_candidates:
    input:
        "data/extract/coco-counterfactuals/captions.parquet",
    output:
        "data/generate/coco-counterfactuals/candidates/{part}.parquet",
        "data/generate/coco-counterfactuals/too-long/{part}.parquet",
    log:
        "logs/generate/coco-counterfactuals/candidates/{part}.log",
    priority: 5
    group:
        group_for("generate_coco_counterfactuals_candidates")
    resources:
        **resources_for("generate_coco_counterfactuals_candidates"),
    shell:
        "whatif generate coco-counterfactuals --step candidates --part {wildcards.part} > {log} 2>&1"


rule generate_coco_counterfactuals_measure:
    input:
        "data/extract/coco-counterfactuals/captions.parquet",
        "data/generate/coco-counterfactuals/candidates/{part}.parquet",
    output:
        "data/generate/coco-counterfactuals/measured/{part}.parquet",
    log:
        "logs/generate/coco-counterfactuals/measure/{part}.log",
    priority: 5
    group:
        group_for("generate_coco_counterfactuals_measure")
    resources:
        **resources_for("generate_coco_counterfactuals_measure"),
    shell:
        "whatif generate coco-counterfactuals --step measure --part {wildcards.part} > {log} 2>&1"


rule generate_coco_counterfactuals_choose:
    input:
        "data/extract/coco-counterfactuals/captions.parquet",
        all_of("data/generate/coco-counterfactuals/measured/{part}.parquet"),
        all_of("data/generate/coco-counterfactuals/too-long/{part}.parquet"),
    output:
        "data/generate/coco-counterfactuals/caption-pairs.parquet",
        "data/generate/coco-counterfactuals/rejections.parquet",
        "data/generate/coco-counterfactuals/counts.parquet",
    log:
        "logs/generate/coco-counterfactuals/choose.log",
    priority: 5
    group:
        group_for("generate_coco_counterfactuals_choose")
    resources:
        **resources_for("generate_coco_counterfactuals_choose"),
    shell:
        "whatif generate coco-counterfactuals --step choose > {log} 2>&1"


rule generate_coco_counterfactuals_draw:
    input:
        "data/generate/coco-counterfactuals/caption-pairs.parquet",
    output:
        "data/generate/coco-counterfactuals/pairs/{part}.parquet",
    log:
        "logs/generate/coco-counterfactuals/draw/{part}.log",
    priority: 5
    group:
        group_for("generate_coco_counterfactuals_draw")
    resources:
        **resources_for("generate_coco_counterfactuals_draw"),
    shell:
        "whatif generate coco-counterfactuals --step draw --part {wildcards.part} > {log} 2>&1"


rule generate_cfmm_annotate:
    input:
        "data/extract/cfmm/candidates.parquet",
    output:
        "data/generate/cfmm/annotated.parquet",
        "data/generate/cfmm/annotations.parquet",
        "data/generate/cfmm/annotation-gold.parquet",
        "data/generate/cfmm/unannotated.parquet",
    log:
        "logs/generate/cfmm/annotate.log",
    priority: 5
    group:
        group_for("generate_cfmm_annotate")
    resources:
        **resources_for("generate_cfmm_annotate"),
    shell:
        "whatif generate cfmm --step annotate > {log} 2>&1"


rule generate_cfmm_check:
    input:
        "data/generate/cfmm/annotated.parquet",
    output:
        "data/generate/cfmm/checked.parquet",
        "data/generate/cfmm/checks.parquet",
        "data/generate/cfmm/check-gold.parquet",
        "data/generate/cfmm/corrections.parquet",
        "data/generate/cfmm/unchecked.parquet",
    log:
        "logs/generate/cfmm/check.log",
    priority: 5
    group:
        group_for("generate_cfmm_check")
    resources:
        **resources_for("generate_cfmm_check"),
    shell:
        "whatif generate cfmm --step check > {log} 2>&1"


rule generate_cfmm_expand:
    input:
        "data/generate/cfmm/checked.parquet",
        "data/extract/cfmm/images.parquet",
    output:
        "data/generate/{writer}/cfmm/expanded.parquet",
        "data/generate/{writer}/cfmm/replies.parquet",
        "data/generate/{writer}/cfmm/refused.parquet",
    log:
        "logs/generate/cfmm/expand/{writer}.log",
    priority: 5
    group:
        group_for("generate_cfmm_expand")
    resources:
        **resources_for("generate_cfmm_expand"),
    shell:
        "whatif generate cfmm --step expand --writer {wildcards.writer} > {log} 2>&1"


rule generate_mucr_annotate:
    input:
        "data/extract/mucr/pairs.parquet",
    output:
        "data/generate/mucr/pairs.parquet",
        "data/generate/mucr/annotations.parquet",
        "data/generate/mucr/annotation-gold.parquet",
        "data/generate/mucr/unannotated.parquet",
    log:
        "logs/generate/mucr/annotate.log",
    priority: 5
    group:
        group_for("generate_mucr_annotate")
    resources:
        **resources_for("generate_mucr_annotate"),
    shell:
        "whatif generate mucr --step annotate > {log} 2>&1"


rule generate_mucr_describe:
    input:
        "data/extract/mucr/pairs.parquet",
    output:
        "data/generate/{writer}/mucr/written.parquet",
        "data/generate/{writer}/mucr/undescribed.parquet",
    log:
        "logs/generate/mucr/describe/{writer}.log",
    priority: 5
    group:
        group_for("generate_mucr_describe")
    resources:
        **resources_for("generate_mucr_describe"),
    shell:
        "whatif generate mucr --step describe --writer {wildcards.writer} > {log} 2>&1"


rule generate_mucr_describe_all:
    input:
        "data/extract/mucr/pairs.parquet",
        all_of("data/generate/{writer}/mucr/written.parquet"),
    output:
        "data/generate/mucr/descriptions.parquet",
    log:
        "logs/generate/mucr/describe-all.log",
    priority: 5
    group:
        group_for("generate_mucr_describe_all")
    resources:
        **resources_for("generate_mucr_describe_all"),
    shell:
        "whatif generate mucr --step describe-all > {log} 2>&1"


rule generate_mucr_draw:
    input:
        "data/extract/mucr/pairs.parquet",
        "data/generate/mucr/descriptions.parquet",
        "data/extract/mucr/provided.parquet",
    output:
        "data/generate/mucr/candidates/{generator}/{part}.parquet",
        "data/generate/mucr/drawn-images/{generator}/{part}.parquet",
        "data/generate/mucr/undrawn/{generator}/{part}.parquet",
    log:
        "logs/generate/mucr/draw/{generator}/{part}.log",
    priority: 5
    group:
        group_for("generate_mucr_draw")
    resources:
        **resources_for("generate_mucr_draw"),
    shell:
        "whatif generate mucr --step draw --generator {wildcards.generator} --part {wildcards.part} > {log} 2>&1"
