# aggregate: numbers and tables, beside the reported ones.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   all_of: the files of a pattern, for all values of its wildcards but those to keep
#   others: what the rule reads of other benchmarks that are selected
#   published: tables and figures; they are in `snakemake --report`
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule aggregate_cvqa_synthetic_shortcuts:
    input:
        "data/verify/cvqa-synthetic/questions.parquet",
    output:
        "data/aggregate/cvqa-synthetic/shortcuts/{variant}.parquet",
    log:
        "logs/aggregate/cvqa-synthetic/shortcuts/{variant}.log",
    priority: 1
    group:
        group_for("aggregate_cvqa_synthetic_shortcuts")
    resources:
        **resources_for("aggregate_cvqa_synthetic_shortcuts"),
    shell:
        "whatif aggregate cvqa-synthetic --step shortcuts --variant {wildcards.variant} > {log} 2>&1"


rule aggregate_cvqa_synthetic:
    input:
        "data/extract/cvqa-synthetic/flowers.parquet",
        "data/extract/cvqa-synthetic/rejections.parquet",
        all_of("data/generate/cvqa-synthetic/puzzles/{part}.parquet"),
        all_of("data/generate/cvqa-synthetic/images/{part}.parquet"),
        "data/filter/cvqa-synthetic/rejections.parquet",
        "data/filter/cvqa-synthetic/questions.parquet",
        "data/verify/cvqa-synthetic/rejections.parquet",
        "data/verify/cvqa-synthetic/questions.parquet",
        all_of("data/aggregate/cvqa-synthetic/shortcuts/{variant}.parquet"),
        all_of("data/evaluate/{model}/cvqa-synthetic/predictions/{part}.parquet"),
        all_of("data/evaluate/{model}/cvqa-synthetic/judged/{judge}/{prompt}/{part}.parquet"),
        all_of("data/evaluate/{model}/cvqa-synthetic/probed/{probe}.parquet"),
        all_of("data/verify/cvqa-synthetic/attempts/{people}.parquet"),
        all_of("data/verify/cvqa-synthetic/uncounted/{people}.parquet"),
        all_of("data/evaluate/{model}/cvqa-synthetic/program-findings/{part}.parquet"),
    output:
        "data/aggregate/cvqa-synthetic/items.parquet",
        "data/aggregate/cvqa-synthetic/views.parquet",
        "data/aggregate/cvqa-synthetic/printed.parquet",
        "data/aggregate/cvqa-synthetic/files.parquet",
        published("aggregate_cvqa_synthetic"),
    log:
        "logs/aggregate/cvqa-synthetic.log",
    priority: 1
    group:
        group_for("aggregate_cvqa_synthetic")
    resources:
        **resources_for("aggregate_cvqa_synthetic"),
    shell:
        "whatif aggregate cvqa-synthetic --step aggregate > {log} 2>&1"


rule aggregate_cvqa_real_shortcuts:
    input:
        "data/verify/cvqa-real/questions.parquet",
    output:
        "data/aggregate/cvqa-real/shortcuts.parquet",
    log:
        "logs/aggregate/cvqa-real/shortcuts.log",
    priority: 1
    group:
        group_for("aggregate_cvqa_real_shortcuts")
    resources:
        **resources_for("aggregate_cvqa_real_shortcuts"),
    shell:
        "whatif aggregate cvqa-real --step shortcuts > {log} 2>&1"


rule aggregate_cvqa_real:
    input:
        "data/extract/cvqa-real/images.parquet",
        "data/extract/cvqa-real/missing.parquet",
        "data/extract/cvqa-real/questions.parquet",
        "data/extract/cvqa-real/rejections.parquet",
        "data/generate/cvqa-real/annotated.parquet",
        "data/generate/cvqa-real/annotations.parquet",
        "data/generate/cvqa-real/unannotated.parquet",
        "data/generate/cvqa-real/unchanged.parquet",
        "data/generate/cvqa-real/by-rules.parquet",
        all_of("data/generate/{writer}/cvqa-real/by-model.parquet"),
        all_of("data/generate/{writer}/cvqa-real/replies.parquet"),
        all_of("data/generate/{writer}/cvqa-real/unwritten.parquet"),
        "data/generate/cvqa-real/questions.parquet",
        "data/generate/cvqa-real/written.parquet",
        "data/filter/cvqa-real/rejections.parquet",
        "data/filter/cvqa-real/questions.parquet",
        "data/verify/cvqa-real/checked.parquet",
        "data/verify/cvqa-real/unchecked.parquet",
        "data/verify/cvqa-real/judgements.parquet",
        "data/verify/cvqa-real/gold.parquet",
        "data/verify/cvqa-real/corrections.parquet",
        all_of("data/verify/{polisher}/cvqa-real/polished.parquet"),
        all_of("data/verify/{polisher}/cvqa-real/unpolished.parquet"),
        "data/verify/cvqa-real/answer-checks.parquet",
        "data/verify/cvqa-real/rejections.parquet",
        "data/verify/cvqa-real/questions.parquet",
        all_of("data/evaluate/{model}/cvqa-real/predictions/{strategy}/{part}.parquet"),
        all_of("data/evaluate/{model}/cvqa-real/judged/{judge}/{prompt}/{strategy}/{part}.parquet"),
        all_of("data/evaluate/{model}/cvqa-real/probed/{strategy}/{probe}.parquet"),
        all_of("data/verify/cvqa-real/attempts/{people}.parquet"),
        all_of("data/verify/cvqa-real/uncounted/{people}.parquet"),
        all_of("data/evaluate/{model}/cvqa-real/program-findings/{strategy}/{part}.parquet"),
        "data/aggregate/cvqa-real/shortcuts.parquet",
    output:
        "data/aggregate/cvqa-real/items.parquet",
        "data/aggregate/cvqa-real/views.parquet",
        "data/aggregate/cvqa-real/printed.parquet",
        "data/aggregate/cvqa-real/files.parquet",
        published("aggregate_cvqa_real"),
    log:
        "logs/aggregate/cvqa-real.log",
    priority: 1
    group:
        group_for("aggregate_cvqa_real")
    resources:
        **resources_for("aggregate_cvqa_real"),
    shell:
        "whatif aggregate cvqa-real --step aggregate > {log} 2>&1"


rule aggregate_scenes:
    input:
        "data/extract/scenes/images.parquet",
        "data/extract/scenes/questions.parquet",
        "data/extract/scenes/rejections.parquet",
        all_of("data/generate/scenes/images/{part}.parquet"),
        all_of("data/generate/scenes/pairs/{part}.parquet"),
        "data/filter/scenes/rejections.parquet",
        "data/filter/scenes/pairs.parquet",
        "data/verify/scenes/rejections.parquet",
        "data/verify/scenes/pairs.parquet",
        "data/verify/scenes/questions.parquet",
        all_of("data/evaluate/{model}/scenes/predictions/{strategy}.parquet"),
        all_of("data/evaluate/{model}/scenes/judged/{judge}/{prompt}/{strategy}.parquet"),
        all_of("data/evaluate/{model}/scenes/probed/{strategy}/{probe}.parquet"),
        all_of("data/verify/scenes/attempts/{people}.parquet"),
        all_of("data/verify/scenes/uncounted/{people}.parquet"),
        all_of("data/evaluate/{matcher}/scenes/matches.parquet"),
    output:
        "data/aggregate/scenes/items.parquet",
        "data/aggregate/scenes/views.parquet",
        "data/aggregate/scenes/printed.parquet",
        "data/aggregate/scenes/files.parquet",
        published("aggregate_scenes"),
    log:
        "logs/aggregate/scenes.log",
    priority: 1
    group:
        group_for("aggregate_scenes")
    resources:
        **resources_for("aggregate_scenes"),
    shell:
        "whatif aggregate scenes > {log} 2>&1"


rule aggregate_coco_counterfactuals:
    input:
        all_of("data/filter/coco-counterfactuals/pairs/{part}.parquet"),
        all_of("data/filter/coco-counterfactuals/images/{part}.parquet"),
        "data/extract/coco-counterfactuals/images.parquet",
        "data/verify/coco-counterfactuals/judgements.parquet",
        "data/extract/coco-counterfactuals/captions.parquet",
        "data/extract/coco-counterfactuals/rejections.parquet",
        "data/extract/coco-counterfactuals/missing.parquet",
        "data/generate/coco-counterfactuals/counts.parquet",
        "data/generate/coco-counterfactuals/caption-pairs.parquet",
        "data/generate/coco-counterfactuals/rejections.parquet",
        all_of("data/generate/coco-counterfactuals/pairs/{part}.parquet"),
        all_of("data/filter/coco-counterfactuals/rejections/{part}.parquet"),
        "data/verify/coco-counterfactuals/errors.parquet",
        "data/verify/coco-counterfactuals/rejections.parquet",
        "data/verify/coco-counterfactuals/gold.parquet",
        all_of("data/evaluate/{encoder}/coco-counterfactuals/ranks.parquet"),
        all_of("data/evaluate/{matcher}/coco-counterfactuals/matches.parquet"),
        all_of("data/evaluate/{matcher}/coco-counterfactuals/random-matches.parquet"),
        all_of("data/evaluate/{matcher}/coco-counterfactuals/logit-scales.parquet"),
        "data/filter/coco-counterfactuals/unshared-pairs.parquet",
        "data/filter/coco-counterfactuals/unshared-images.parquet",
    output:
        "data/aggregate/coco-counterfactuals/items.parquet",
        "data/aggregate/coco-counterfactuals/views.parquet",
        "data/aggregate/coco-counterfactuals/printed.parquet",
        "data/aggregate/coco-counterfactuals/files.parquet",
        published("aggregate_coco_counterfactuals"),
    log:
        "logs/aggregate/coco-counterfactuals.log",
    priority: 1
    group:
        group_for("aggregate_coco_counterfactuals")
    resources:
        **resources_for("aggregate_coco_counterfactuals"),
    shell:
        "whatif aggregate coco-counterfactuals > {log} 2>&1"


rule aggregate_coco_counterfactuals_training:
    input:
        "data/extract/coco-counterfactuals-training/pairs.parquet",
        "data/extract/coco-counterfactuals-training/originals.parquet",
        "data/verify/coco-counterfactuals-training/samples.parquet",
        "data/verify/coco-counterfactuals-training/unused.parquet",
        "data/extract/coco-counterfactuals-training/rejections.parquet",
        "data/extract/coco-counterfactuals-training/retrieval.parquet",
        "data/extract/coco-counterfactuals-training/retrieval-rejections.parquet",
        all_of("data/extract/coco-counterfactuals-training/labelled/{data_set}.parquet"),
        all_of("data/extract/coco-counterfactuals-training/labelled-rejections/{data_set}.parquet"),
        all_of("data/extract/coco-counterfactuals-training/classes/{data_set}.parquet"),
        "data/extract/coco-counterfactuals-training/imported.parquet",
        "data/extract/coco-counterfactuals-training/imported-classes.parquet",
        all_of("data/evaluate/{trained}/coco-counterfactuals-training/losses/{seed}.parquet"),
        all_of("data/evaluate/{trained}/coco-counterfactuals-training/retrieved/{seed}.parquet"),
        all_of("data/evaluate/{trained}/coco-counterfactuals-training/classified/{seed}.parquet"),
        others("aggregate_coco_counterfactuals_training"),
    output:
        "data/aggregate/coco-counterfactuals-training/items.parquet",
        "data/aggregate/coco-counterfactuals-training/views.parquet",
        "data/aggregate/coco-counterfactuals-training/printed.parquet",
        "data/aggregate/coco-counterfactuals-training/files.parquet",
        published("aggregate_coco_counterfactuals_training"),
    log:
        "logs/aggregate/coco-counterfactuals-training.log",
    priority: 1
    group:
        group_for("aggregate_coco_counterfactuals_training")
    resources:
        **resources_for("aggregate_coco_counterfactuals_training"),
    shell:
        "whatif aggregate coco-counterfactuals-training > {log} 2>&1"


rule aggregate_cfmm_shortcuts:
    input:
        "data/verify/cfmm/questions.parquet",
    output:
        "data/aggregate/cfmm/shortcuts/{variant}.parquet",
    log:
        "logs/aggregate/cfmm/shortcuts/{variant}.log",
    priority: 1
    group:
        group_for("aggregate_cfmm_shortcuts")
    resources:
        **resources_for("aggregate_cfmm_shortcuts"),
    shell:
        "whatif aggregate cfmm --step shortcuts --variant {wildcards.variant} > {log} 2>&1"


rule aggregate_cfmm:
    input:
        "data/extract/cfmm/images.parquet",
        "data/extract/cfmm/candidates.parquet",
        "data/extract/cfmm/rejections.parquet",
        "data/generate/cfmm/annotated.parquet",
        "data/generate/cfmm/annotations.parquet",
        "data/generate/cfmm/unannotated.parquet",
        "data/generate/cfmm/checked.parquet",
        "data/generate/cfmm/checks.parquet",
        "data/generate/cfmm/unchecked.parquet",
        all_of("data/generate/{writer}/cfmm/expanded.parquet"),
        all_of("data/generate/{writer}/cfmm/replies.parquet"),
        all_of("data/generate/{writer}/cfmm/refused.parquet"),
        "data/filter/cfmm/rejections.parquet",
        "data/filter/cfmm/questions.parquet",
        "data/verify/cfmm/rejections.parquet",
        "data/verify/cfmm/judgements.parquet",
        "data/verify/cfmm/gold.parquet",
        "data/verify/cfmm/questions.parquet",
        all_of("data/aggregate/cfmm/shortcuts/{variant}.parquet"),
        all_of("data/evaluate/{model}/cfmm/predictions/{strategy}.parquet"),
        all_of("data/evaluate/{model}/cfmm/judged/{judge}/{prompt}/{strategy}.parquet"),
        all_of("data/evaluate/{model}/cfmm/probed/{strategy}/{probe}.parquet"),
        all_of("data/verify/cfmm/attempts/{people}.parquet"),
        all_of("data/verify/cfmm/uncounted/{people}.parquet"),
    output:
        "data/aggregate/cfmm/items.parquet",
        "data/aggregate/cfmm/views.parquet",
        "data/aggregate/cfmm/printed.parquet",
        "data/aggregate/cfmm/files.parquet",
        published("aggregate_cfmm"),
    log:
        "logs/aggregate/cfmm.log",
    priority: 1
    group:
        group_for("aggregate_cfmm")
    resources:
        **resources_for("aggregate_cfmm"),
    shell:
        "whatif aggregate cfmm --step aggregate > {log} 2>&1"


rule aggregate_mucr_shortcuts:
    input:
        "data/verify/mucr/questions.parquet",
        "data/verify/mucr/items.parquet",
        "data/generate/mucr/pairs.parquet",
    output:
        "data/aggregate/mucr/shortcuts.parquet",
    log:
        "logs/aggregate/mucr/shortcuts.log",
    priority: 1
    group:
        group_for("aggregate_mucr_shortcuts")
    resources:
        **resources_for("aggregate_mucr_shortcuts"),
    shell:
        "whatif aggregate mucr --step shortcuts > {log} 2>&1"


rule aggregate_mucr:
    input:
        "data/extract/mucr/images.parquet",
        all_of("data/generate/mucr/drawn-images/{generator}/{part}.parquet"),
        "data/verify/mucr/composites.parquet",
        "data/extract/mucr/pairs.parquet",
        "data/extract/mucr/rejections.parquet",
        "data/generate/mucr/pairs.parquet",
        "data/generate/mucr/annotations.parquet",
        "data/generate/mucr/unannotated.parquet",
        "data/generate/mucr/descriptions.parquet",
        all_of("data/generate/{writer}/mucr/undescribed.parquet"),
        "data/extract/mucr/provided.parquet",
        all_of("data/generate/mucr/candidates/{generator}/{part}.parquet"),
        all_of("data/generate/mucr/undrawn/{generator}/{part}.parquet"),
        "data/filter/mucr/preselected.parquet",
        "data/filter/mucr/rejections.parquet",
        "data/verify/mucr/choices.parquet",
        "data/verify/mucr/judgements.parquet",
        "data/verify/mucr/gold.parquet",
        "data/verify/mucr/rejections.parquet",
        "data/verify/mucr/questions.parquet",
        "data/verify/mucr/training.parquet",
        "data/verify/mucr/items.parquet",
        "data/verify/mucr/unasked.parquet",
        all_of("data/evaluate/{model}/mucr/predictions/{strategy}.parquet"),
        all_of("data/evaluate/{model}/mucr/judged/{judge}/{prompt}/{strategy}.parquet"),
        all_of("data/evaluate/{model}/mucr/probed/{strategy}/{probe}.parquet"),
        all_of("data/evaluate/{tuned}/mucr/tuned-predictions/{seed}.parquet"),
        all_of("data/evaluate/{tuned}/mucr/losses/{seed}.parquet"),
        all_of("data/verify/mucr/attempts/{people}.parquet"),
        all_of("data/verify/mucr/uncounted/{people}.parquet"),
        "data/aggregate/mucr/shortcuts.parquet",
    output:
        "data/aggregate/mucr/items.parquet",
        "data/aggregate/mucr/views.parquet",
        "data/aggregate/mucr/printed.parquet",
        "data/aggregate/mucr/files.parquet",
        published("aggregate_mucr"),
    log:
        "logs/aggregate/mucr.log",
    priority: 1
    group:
        group_for("aggregate_mucr")
    resources:
        **resources_for("aggregate_mucr"),
    shell:
        "whatif aggregate mucr --step aggregate > {log} 2>&1"


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
