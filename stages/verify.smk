# verify: checks by people or by counting again: the questions that models are asked.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   all_of: the files of a pattern, for all values of its wildcards but those to keep
#   others: what the rule reads of other benchmarks that are selected
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule verify_cvqa_synthetic:
    input:
        all_of("data/generate/cvqa-synthetic/puzzles/{part}.parquet"),
        "data/filter/cvqa-synthetic/questions.parquet",
    output:
        "data/verify/cvqa-synthetic/questions.parquet",
        "data/verify/cvqa-synthetic/judgements.parquet",
        "data/verify/cvqa-synthetic/rejections.parquet",
    log:
        "logs/verify/cvqa-synthetic.log",
    priority: 3
    group:
        group_for("verify_cvqa_synthetic")
    resources:
        **resources_for("verify_cvqa_synthetic"),
    shell:
        "whatif verify cvqa-synthetic --step verify > {log} 2>&1"


rule verify_cvqa_synthetic_people:
    input:
        "data/verify/cvqa-synthetic/questions.parquet",
    output:
        "data/verify/cvqa-synthetic/attempts/{people}.parquet",
        "data/verify/cvqa-synthetic/uncounted/{people}.parquet",
    log:
        "logs/verify/cvqa-synthetic/people/{people}.log",
    priority: 3
    group:
        group_for("verify_cvqa_synthetic_people")
    resources:
        **resources_for("verify_cvqa_synthetic_people"),
    shell:
        "whatif verify cvqa-synthetic --step people --people {wildcards.people} > {log} 2>&1"


rule verify_cvqa_real_check:
    input:
        "data/filter/cvqa-real/questions.parquet",
    output:
        "data/verify/cvqa-real/checked.parquet",
        "data/verify/cvqa-real/judgements.parquet",
        "data/verify/cvqa-real/gold.parquet",
        "data/verify/cvqa-real/corrections.parquet",
        "data/verify/cvqa-real/unchecked.parquet",
    log:
        "logs/verify/cvqa-real/check.log",
    priority: 3
    group:
        group_for("verify_cvqa_real_check")
    resources:
        **resources_for("verify_cvqa_real_check"),
    shell:
        "whatif verify cvqa-real --step check > {log} 2>&1"


rule verify_cvqa_real_polish:
    input:
        "data/verify/cvqa-real/checked.parquet",
    output:
        "data/verify/{polisher}/cvqa-real/polished.parquet",
        "data/verify/{polisher}/cvqa-real/unpolished.parquet",
    log:
        "logs/verify/cvqa-real/polish/{polisher}.log",
    priority: 3
    group:
        group_for("verify_cvqa_real_polish")
    resources:
        **resources_for("verify_cvqa_real_polish"),
    shell:
        "whatif verify cvqa-real --step polish --polisher {wildcards.polisher} > {log} 2>&1"


rule verify_cvqa_real:
    input:
        "data/verify/cvqa-real/checked.parquet",
        all_of("data/verify/{polisher}/cvqa-real/polished.parquet"),
    output:
        "data/verify/cvqa-real/questions.parquet",
        "data/verify/cvqa-real/answer-checks.parquet",
        "data/verify/cvqa-real/rejections.parquet",
    log:
        "logs/verify/cvqa-real.log",
    priority: 3
    group:
        group_for("verify_cvqa_real")
    resources:
        **resources_for("verify_cvqa_real"),
    shell:
        "whatif verify cvqa-real --step verify > {log} 2>&1"


rule verify_cvqa_real_people:
    input:
        "data/verify/cvqa-real/questions.parquet",
    output:
        "data/verify/cvqa-real/attempts/{people}.parquet",
        "data/verify/cvqa-real/uncounted/{people}.parquet",
    log:
        "logs/verify/cvqa-real/people/{people}.log",
    priority: 3
    group:
        group_for("verify_cvqa_real_people")
    resources:
        **resources_for("verify_cvqa_real_people"),
    shell:
        "whatif verify cvqa-real --step people --people {wildcards.people} > {log} 2>&1"


rule verify_scenes:
    input:
        all_of("data/generate/scenes/images/{part}.parquet"),
        "data/filter/scenes/pairs.parquet",
        "data/extract/scenes/questions.parquet",
    output:
        "data/verify/scenes/pairs.parquet",
        "data/verify/scenes/questions.parquet",
        "data/verify/scenes/judgements.parquet",
        "data/verify/scenes/rejections.parquet",
    log:
        "logs/verify/scenes.log",
    priority: 3
    group:
        group_for("verify_scenes")
    resources:
        **resources_for("verify_scenes"),
    shell:
        "whatif verify scenes --step verify > {log} 2>&1"


rule verify_scenes_people:
    input:
        "data/verify/scenes/questions.parquet",
    output:
        "data/verify/scenes/attempts/{people}.parquet",
        "data/verify/scenes/uncounted/{people}.parquet",
    log:
        "logs/verify/scenes/people/{people}.log",
    priority: 3
    group:
        group_for("verify_scenes_people")
    resources:
        **resources_for("verify_scenes_people"),
    shell:
        "whatif verify scenes --step people --people {wildcards.people} > {log} 2>&1"


rule verify_coco_counterfactuals:
    input:
        all_of("data/filter/coco-counterfactuals/pairs/{part}.parquet"),
        all_of("data/filter/coco-counterfactuals/images/{part}.parquet"),
        all_of("data/filter/coco-counterfactuals/rejections/{part}.parquet"),
    output:
        "data/verify/coco-counterfactuals/judgements.parquet",
        "data/verify/coco-counterfactuals/gold.parquet",
        "data/verify/coco-counterfactuals/errors.parquet",
        "data/verify/coco-counterfactuals/rejections.parquet",
    log:
        "logs/verify/coco-counterfactuals.log",
    priority: 3
    group:
        group_for("verify_coco_counterfactuals")
    resources:
        **resources_for("verify_coco_counterfactuals"),
    shell:
        "whatif verify coco-counterfactuals > {log} 2>&1"


rule verify_coco_counterfactuals_training_mix:
    input:
        "data/extract/coco-counterfactuals-training/pairs.parquet",
        "data/extract/coco-counterfactuals-training/judgements.parquet",
        "data/extract/coco-counterfactuals-training/originals.parquet",
        "data/extract/coco-counterfactuals-training/photographs.parquet",
        others("verify_coco_counterfactuals_training_mix"),
    output:
        "data/verify/coco-counterfactuals-training/samples.parquet",
        "data/verify/coco-counterfactuals-training/unused.parquet",
    log:
        "logs/verify/coco-counterfactuals-training/mix.log",
    priority: 3
    group:
        group_for("verify_coco_counterfactuals_training_mix")
    resources:
        **resources_for("verify_coco_counterfactuals_training_mix"),
    shell:
        "whatif verify coco-counterfactuals-training > {log} 2>&1"


rule verify_cfmm:
    input:
        "data/filter/cfmm/questions.parquet",
    output:
        "data/verify/cfmm/questions.parquet",
        "data/verify/cfmm/judgements.parquet",
        "data/verify/cfmm/gold.parquet",
        "data/verify/cfmm/corrections.parquet",
        "data/verify/cfmm/rejections.parquet",
    log:
        "logs/verify/cfmm.log",
    priority: 3
    group:
        group_for("verify_cfmm")
    resources:
        **resources_for("verify_cfmm"),
    shell:
        "whatif verify cfmm --step verify > {log} 2>&1"


rule verify_cfmm_people:
    input:
        "data/verify/cfmm/questions.parquet",
    output:
        "data/verify/cfmm/attempts/{people}.parquet",
        "data/verify/cfmm/uncounted/{people}.parquet",
    log:
        "logs/verify/cfmm/people/{people}.log",
    priority: 3
    group:
        group_for("verify_cfmm_people")
    resources:
        **resources_for("verify_cfmm_people"),
    shell:
        "whatif verify cfmm --step people --people {wildcards.people} > {log} 2>&1"


rule verify_mucr:
    input:
        "data/filter/mucr/preselected.parquet",
        "data/generate/mucr/pairs.parquet",
    output:
        "data/verify/mucr/choices.parquet",
        "data/verify/mucr/judgements.parquet",
        "data/verify/mucr/gold.parquet",
        "data/verify/mucr/rejections.parquet",
    log:
        "logs/verify/mucr.log",
    priority: 3
    group:
        group_for("verify_mucr")
    resources:
        **resources_for("verify_mucr"),
    shell:
        "whatif verify mucr --step verify > {log} 2>&1"


rule verify_mucr_questions:
    input:
        "data/generate/mucr/pairs.parquet",
        "data/generate/mucr/descriptions.parquet",
        "data/extract/mucr/provided.parquet",
        all_of("data/generate/mucr/candidates/{generator}/{part}.parquet"),
        "data/verify/mucr/choices.parquet",
        "data/extract/mucr/images.parquet",
        all_of("data/generate/mucr/drawn-images/{generator}/{part}.parquet"),
    output:
        "data/verify/mucr/questions.parquet",
        "data/verify/mucr/training.parquet",
        "data/verify/mucr/items.parquet",
        "data/verify/mucr/composites.parquet",
        "data/verify/mucr/unasked.parquet",
    log:
        "logs/verify/mucr/questions.log",
    priority: 3
    group:
        group_for("verify_mucr_questions")
    resources:
        **resources_for("verify_mucr_questions"),
    shell:
        "whatif verify mucr --step questions > {log} 2>&1"


rule verify_mucr_people:
    input:
        "data/verify/mucr/questions.parquet",
    output:
        "data/verify/mucr/attempts/{people}.parquet",
        "data/verify/mucr/uncounted/{people}.parquet",
    log:
        "logs/verify/mucr/people/{people}.log",
    priority: 3
    group:
        group_for("verify_mucr_people")
    resources:
        **resources_for("verify_mucr_people"),
    shell:
        "whatif verify mucr --step people --people {wildcards.people} > {log} 2>&1"
