# evaluate: one model asked one benchmark: its predictions, or how it matches captions and images.
# Written by `whatif dvc-yaml`: run it again after you select another benchmark, or change what a step reads or makes.
# Functions, in whatif/engine/workflow/rules/common.smk:
#   all_of: the files of a pattern, for all values of its wildcards but those to keep
#   others: what the rule reads of other benchmarks that are selected
#   group_for: jobs without a model may share a cluster job, those with a model do not
#   resources_for: what jobs ask of a cluster, by their kind and their model (slurm/resources.yaml)


rule evaluate_cvqa_synthetic:
    input:
        "data/verify/cvqa-synthetic/questions.parquet",
        "data/generate/cvqa-synthetic/puzzles/{part}.parquet",
        "data/generate/cvqa-synthetic/images/{part}.parquet",
    output:
        "data/evaluate/{model}/cvqa-synthetic/predictions/{part}.parquet",
    log:
        "logs/evaluate/cvqa-synthetic/{model}/{part}.log",
    priority: 2
    group:
        group_for("evaluate_cvqa_synthetic")
    resources:
        **resources_for("evaluate_cvqa_synthetic"),
    shell:
        "whatif evaluate cvqa-synthetic --step evaluate --model {wildcards.model} --part {wildcards.part} > {log} 2>&1"


rule evaluate_cvqa_synthetic_judge:
    input:
        "data/verify/cvqa-synthetic/questions.parquet",
        "data/evaluate/{model}/cvqa-synthetic/predictions/{part}.parquet",
    output:
        "data/evaluate/{model}/cvqa-synthetic/judged/{judge}/{prompt}/{part}.parquet",
    log:
        "logs/evaluate/cvqa-synthetic/judge/{model}/{judge}/{prompt}/{part}.log",
    priority: 2
    group:
        group_for("evaluate_cvqa_synthetic_judge")
    resources:
        **resources_for("evaluate_cvqa_synthetic_judge"),
    shell:
        "whatif evaluate cvqa-synthetic --step judge --model {wildcards.model} --judge {wildcards.judge} --prompt {wildcards.prompt} --part {wildcards.part} > {log} 2>&1"


rule evaluate_cvqa_synthetic_probes:
    input:
        "data/verify/cvqa-synthetic/questions.parquet",
        all_of("data/generate/cvqa-synthetic/puzzles/{part}.parquet"),
        all_of("data/generate/cvqa-synthetic/images/{part}.parquet"),
    output:
        "data/evaluate/{model}/cvqa-synthetic/probed/{probe}.parquet",
    log:
        "logs/evaluate/cvqa-synthetic/probes/{model}/{probe}.log",
    priority: 2
    group:
        group_for("evaluate_cvqa_synthetic_probes")
    resources:
        **resources_for("evaluate_cvqa_synthetic_probes"),
    shell:
        "whatif evaluate cvqa-synthetic --step probes --model {wildcards.model} --probe {wildcards.probe} > {log} 2>&1"


rule evaluate_cvqa_synthetic_programs:
    input:
        "data/verify/cvqa-synthetic/questions.parquet",
        "data/generate/cvqa-synthetic/puzzles/{part}.parquet",
        "data/generate/cvqa-synthetic/images/{part}.parquet",
        "data/evaluate/{model}/cvqa-synthetic/predictions/{part}.parquet",
    output:
        "data/evaluate/{model}/cvqa-synthetic/program-findings/{part}.parquet",
    log:
        "logs/evaluate/cvqa-synthetic/programs/{model}/{part}.log",
    priority: 2
    group:
        group_for("evaluate_cvqa_synthetic_programs")
    resources:
        **resources_for("evaluate_cvqa_synthetic_programs"),
    shell:
        "whatif evaluate cvqa-synthetic --step programs --model {wildcards.model} --part {wildcards.part} > {log} 2>&1"


rule evaluate_cvqa_real:
    input:
        "data/verify/cvqa-real/questions.parquet",
        "data/extract/cvqa-real/images.parquet",
    output:
        "data/evaluate/{model}/cvqa-real/predictions/{strategy}/{part}.parquet",
    log:
        "logs/evaluate/cvqa-real/{model}/{strategy}/{part}.log",
    priority: 2
    group:
        group_for("evaluate_cvqa_real")
    resources:
        **resources_for("evaluate_cvqa_real"),
    shell:
        "whatif evaluate cvqa-real --step evaluate --model {wildcards.model} --strategy {wildcards.strategy} --part {wildcards.part} > {log} 2>&1"


rule evaluate_cvqa_real_judge:
    input:
        "data/verify/cvqa-real/questions.parquet",
        "data/evaluate/{model}/cvqa-real/predictions/{strategy}/{part}.parquet",
    output:
        "data/evaluate/{model}/cvqa-real/judged/{judge}/{prompt}/{strategy}/{part}.parquet",
    log:
        "logs/evaluate/cvqa-real/judge/{model}/{judge}/{prompt}/{strategy}/{part}.log",
    priority: 2
    group:
        group_for("evaluate_cvqa_real_judge")
    resources:
        **resources_for("evaluate_cvqa_real_judge"),
    shell:
        "whatif evaluate cvqa-real --step judge --model {wildcards.model} --judge {wildcards.judge} --prompt {wildcards.prompt} --strategy {wildcards.strategy} --part {wildcards.part} > {log} 2>&1"


rule evaluate_cvqa_real_probes:
    input:
        "data/verify/cvqa-real/questions.parquet",
        "data/extract/cvqa-real/images.parquet",
    output:
        "data/evaluate/{model}/cvqa-real/probed/{strategy}/{probe}.parquet",
    log:
        "logs/evaluate/cvqa-real/probes/{model}/{strategy}/{probe}.log",
    priority: 2
    group:
        group_for("evaluate_cvqa_real_probes")
    resources:
        **resources_for("evaluate_cvqa_real_probes"),
    shell:
        "whatif evaluate cvqa-real --step probes --model {wildcards.model} --strategy {wildcards.strategy} --probe {wildcards.probe} > {log} 2>&1"


rule evaluate_cvqa_real_programs:
    input:
        "data/verify/cvqa-real/questions.parquet",
        "data/extract/cvqa-real/images.parquet",
        "data/evaluate/{model}/cvqa-real/predictions/{strategy}/{part}.parquet",
    output:
        "data/evaluate/{model}/cvqa-real/program-findings/{strategy}/{part}.parquet",
    log:
        "logs/evaluate/cvqa-real/programs/{model}/{strategy}/{part}.log",
    priority: 2
    group:
        group_for("evaluate_cvqa_real_programs")
    resources:
        **resources_for("evaluate_cvqa_real_programs"),
    shell:
        "whatif evaluate cvqa-real --step programs --model {wildcards.model} --strategy {wildcards.strategy} --part {wildcards.part} > {log} 2>&1"


rule evaluate_scenes:
    input:
        "data/verify/scenes/questions.parquet",
        "data/extract/scenes/images.parquet",
    output:
        "data/evaluate/{model}/scenes/predictions/{strategy}.parquet",
    log:
        "logs/evaluate/scenes/{model}/{strategy}.log",
    priority: 2
    group:
        group_for("evaluate_scenes")
    resources:
        **resources_for("evaluate_scenes"),
    shell:
        "whatif evaluate scenes --step evaluate --model {wildcards.model} --strategy {wildcards.strategy} > {log} 2>&1"


rule evaluate_scenes_judge:
    input:
        "data/verify/scenes/questions.parquet",
        "data/evaluate/{model}/scenes/predictions/{strategy}.parquet",
    output:
        "data/evaluate/{model}/scenes/judged/{judge}/{prompt}/{strategy}.parquet",
    log:
        "logs/evaluate/scenes/judge/{model}/{judge}/{prompt}/{strategy}.log",
    priority: 2
    group:
        group_for("evaluate_scenes_judge")
    resources:
        **resources_for("evaluate_scenes_judge"),
    shell:
        "whatif evaluate scenes --step judge --model {wildcards.model} --judge {wildcards.judge} --prompt {wildcards.prompt} --strategy {wildcards.strategy} > {log} 2>&1"


rule evaluate_scenes_probes:
    input:
        "data/verify/scenes/questions.parquet",
        "data/extract/scenes/images.parquet",
    output:
        "data/evaluate/{model}/scenes/probed/{strategy}/{probe}.parquet",
    log:
        "logs/evaluate/scenes/probes/{model}/{strategy}/{probe}.log",
    priority: 2
    group:
        group_for("evaluate_scenes_probes")
    resources:
        **resources_for("evaluate_scenes_probes"),
    shell:
        "whatif evaluate scenes --step probes --model {wildcards.model} --strategy {wildcards.strategy} --probe {wildcards.probe} > {log} 2>&1"


rule evaluate_scenes_pairs:
    input:
        "data/verify/scenes/pairs.parquet",
        all_of("data/generate/scenes/images/{part}.parquet"),
    output:
        "data/evaluate/{matcher}/scenes/matches.parquet",
    log:
        "logs/evaluate/scenes/pairs/{matcher}.log",
    priority: 2
    group:
        group_for("evaluate_scenes_pairs")
    resources:
        **resources_for("evaluate_scenes_pairs"),
    shell:
        "whatif evaluate scenes --step pairs --matcher {wildcards.matcher} > {log} 2>&1"


rule evaluate_coco_counterfactuals_retrieve:
    input:
        all_of("data/filter/coco-counterfactuals/pairs/{part}.parquet"),
        all_of("data/filter/coco-counterfactuals/images/{part}.parquet"),
        "data/extract/coco-counterfactuals/images.parquet",
        "data/verify/coco-counterfactuals/judgements.parquet",
    output:
        "data/evaluate/{encoder}/coco-counterfactuals/ranks.parquet",
    log:
        "logs/evaluate/coco-counterfactuals/retrieve/{encoder}.log",
    priority: 2
    group:
        group_for("evaluate_coco_counterfactuals_retrieve")
    resources:
        **resources_for("evaluate_coco_counterfactuals_retrieve"),
    shell:
        "whatif evaluate coco-counterfactuals --step retrieve --encoder {wildcards.encoder} > {log} 2>&1"


rule evaluate_coco_counterfactuals_match:
    input:
        all_of("data/filter/coco-counterfactuals/pairs/{part}.parquet"),
        all_of("data/filter/coco-counterfactuals/images/{part}.parquet"),
        "data/extract/coco-counterfactuals/images.parquet",
    output:
        "data/evaluate/{matcher}/coco-counterfactuals/matches.parquet",
        "data/evaluate/{matcher}/coco-counterfactuals/random-matches.parquet",
        "data/evaluate/{matcher}/coco-counterfactuals/logit-scales.parquet",
    log:
        "logs/evaluate/coco-counterfactuals/match/{matcher}.log",
    priority: 2
    group:
        group_for("evaluate_coco_counterfactuals_match")
    resources:
        **resources_for("evaluate_coco_counterfactuals_match"),
    shell:
        "whatif evaluate coco-counterfactuals --step match --matcher {wildcards.matcher} > {log} 2>&1"


rule evaluate_coco_counterfactuals_training_train:
    input:
        "data/extract/coco-counterfactuals-training/images.parquet",
        "data/extract/coco-counterfactuals-training/photographs.parquet",
        "data/verify/coco-counterfactuals-training/samples.parquet",
        "data/extract/coco-counterfactuals-training/retrieval.parquet",
        "data/extract/coco-counterfactuals-training/retrieval-images.parquet",
        all_of("data/extract/coco-counterfactuals-training/classes/{data_set}.parquet"),
        all_of("data/extract/coco-counterfactuals-training/labelled/{data_set}.parquet"),
        all_of("data/extract/coco-counterfactuals-training/labelled-images/{data_set}.parquet"),
        others("evaluate_coco_counterfactuals_training_train"),
    output:
        "data/evaluate/{trained}/coco-counterfactuals-training/losses/{seed}.parquet",
        "data/evaluate/{trained}/coco-counterfactuals-training/retrieved/{seed}.parquet",
        "data/evaluate/{trained}/coco-counterfactuals-training/classified/{seed}.parquet",
    log:
        "logs/evaluate/coco-counterfactuals-training/train/{trained}/{seed}.log",
    priority: 2
    group:
        group_for("evaluate_coco_counterfactuals_training_train")
    resources:
        **resources_for("evaluate_coco_counterfactuals_training_train"),
    shell:
        "whatif evaluate coco-counterfactuals-training --trained {wildcards.trained} --seed {wildcards.seed} > {log} 2>&1"


rule evaluate_cfmm:
    input:
        "data/verify/cfmm/questions.parquet",
        "data/extract/cfmm/images.parquet",
        "data/extract/cfmm/examples.parquet",
    output:
        "data/evaluate/{model}/cfmm/predictions/{strategy}.parquet",
    log:
        "logs/evaluate/cfmm/{model}/{strategy}.log",
    priority: 2
    group:
        group_for("evaluate_cfmm")
    resources:
        **resources_for("evaluate_cfmm"),
    shell:
        "whatif evaluate cfmm --step evaluate --model {wildcards.model} --strategy {wildcards.strategy} > {log} 2>&1"


rule evaluate_cfmm_judge:
    input:
        "data/verify/cfmm/questions.parquet",
        "data/evaluate/{model}/cfmm/predictions/{strategy}.parquet",
    output:
        "data/evaluate/{model}/cfmm/judged/{judge}/{prompt}/{strategy}.parquet",
    log:
        "logs/evaluate/cfmm/judge/{model}/{judge}/{prompt}/{strategy}.log",
    priority: 2
    group:
        group_for("evaluate_cfmm_judge")
    resources:
        **resources_for("evaluate_cfmm_judge"),
    shell:
        "whatif evaluate cfmm --step judge --model {wildcards.model} --judge {wildcards.judge} --prompt {wildcards.prompt} --strategy {wildcards.strategy} > {log} 2>&1"


rule evaluate_cfmm_probes:
    input:
        "data/verify/cfmm/questions.parquet",
        "data/extract/cfmm/images.parquet",
        "data/extract/cfmm/examples.parquet",
    output:
        "data/evaluate/{model}/cfmm/probed/{strategy}/{probe}.parquet",
    log:
        "logs/evaluate/cfmm/probes/{model}/{strategy}/{probe}.log",
    priority: 2
    group:
        group_for("evaluate_cfmm_probes")
    resources:
        **resources_for("evaluate_cfmm_probes"),
    shell:
        "whatif evaluate cfmm --step probes --model {wildcards.model} --strategy {wildcards.strategy} --probe {wildcards.probe} > {log} 2>&1"


rule evaluate_mucr:
    input:
        "data/verify/mucr/questions.parquet",
        "data/verify/mucr/training.parquet",
        "data/verify/mucr/items.parquet",
        "data/generate/mucr/pairs.parquet",
        "data/extract/mucr/images.parquet",
        all_of("data/generate/mucr/drawn-images/{generator}/{part}.parquet"),
        "data/verify/mucr/composites.parquet",
    output:
        "data/evaluate/{model}/mucr/predictions/{strategy}.parquet",
    log:
        "logs/evaluate/mucr/{model}/{strategy}.log",
    priority: 2
    group:
        group_for("evaluate_mucr")
    resources:
        **resources_for("evaluate_mucr"),
    shell:
        "whatif evaluate mucr --step evaluate --model {wildcards.model} --strategy {wildcards.strategy} > {log} 2>&1"


rule evaluate_mucr_judge:
    input:
        "data/verify/mucr/questions.parquet",
        "data/evaluate/{model}/mucr/predictions/{strategy}.parquet",
    output:
        "data/evaluate/{model}/mucr/judged/{judge}/{prompt}/{strategy}.parquet",
    log:
        "logs/evaluate/mucr/judge/{model}/{judge}/{prompt}/{strategy}.log",
    priority: 2
    group:
        group_for("evaluate_mucr_judge")
    resources:
        **resources_for("evaluate_mucr_judge"),
    shell:
        "whatif evaluate mucr --step judge --model {wildcards.model} --judge {wildcards.judge} --prompt {wildcards.prompt} --strategy {wildcards.strategy} > {log} 2>&1"


rule evaluate_mucr_probes:
    input:
        "data/verify/mucr/questions.parquet",
        "data/verify/mucr/training.parquet",
        "data/verify/mucr/items.parquet",
        "data/generate/mucr/pairs.parquet",
        "data/extract/mucr/images.parquet",
        all_of("data/generate/mucr/drawn-images/{generator}/{part}.parquet"),
        "data/verify/mucr/composites.parquet",
    output:
        "data/evaluate/{model}/mucr/probed/{strategy}/{probe}.parquet",
    log:
        "logs/evaluate/mucr/probes/{model}/{strategy}/{probe}.log",
    priority: 2
    group:
        group_for("evaluate_mucr_probes")
    resources:
        **resources_for("evaluate_mucr_probes"),
    shell:
        "whatif evaluate mucr --step probes --model {wildcards.model} --strategy {wildcards.strategy} --probe {wildcards.probe} > {log} 2>&1"


rule evaluate_mucr_fine_tune:
    input:
        "data/verify/mucr/questions.parquet",
        "data/verify/mucr/training.parquet",
        "data/verify/mucr/items.parquet",
        "data/extract/mucr/images.parquet",
        all_of("data/generate/mucr/drawn-images/{generator}/{part}.parquet"),
        "data/verify/mucr/composites.parquet",
    output:
        "data/evaluate/{tuned}/mucr/tuned-predictions/{seed}.parquet",
        "data/evaluate/{tuned}/mucr/losses/{seed}.parquet",
    log:
        "logs/evaluate/mucr/fine-tune/{tuned}/{seed}.log",
    priority: 2
    group:
        group_for("evaluate_mucr_fine_tune")
    resources:
        **resources_for("evaluate_mucr_fine_tune"),
    shell:
        "whatif evaluate mucr --step fine-tune --tuned {wildcards.tuned} --seed {wildcards.seed} > {log} 2>&1"
