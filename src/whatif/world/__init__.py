"""A small drawn world, in which every question has a known answer, and the checkpoints that were trained on it.

Begin with `scenes.py` (what a scene is) and `scene_image.py` (how it is drawn); `scene_questions.py`,
`scene_captions.py` and `causal_scenes.py` are what is asked about scenes. `drawing/` has geometry and colours that
benchmarks use for pictures of their own. `checkpoints/` has the weights; `training/`, beside `src/`, makes them.

It imports `engine`, `models` and `people`; `benchmarks` and `commands` import it.
"""
