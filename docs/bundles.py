"""Makes the results that ship with whatif: `python -m docs.bundles demo`, `python -m docs.bundles clip FOLDER`.

`demo` is the site that `whatif demo` opens, a sample of the default run of this checkout. `clip` are the predictions in
the first row of COCO-Counterfactuals' Table 4, from the folder with the released predictions_cifar10.npy and others.
"""

from __future__ import annotations

import sys
from pathlib import Path

from whatif.benchmarks import sample_site
from whatif.benchmarks.coco_counterfactuals_training import released_clip
from whatif.engine.errors import WhatifError
from whatif.results.demo import bundle


def main(arguments: list[str]) -> None:
    match arguments:
        case ["demo"]:
            target = Path(bundle.__file__).parent / bundle.BUNDLE
            print(f"{target}: {sample_site.make(target) / 1e6:.1f} MB")
        case ["clip", folder]:
            released_clip.make(Path(folder))
        case _:
            raise WhatifError("usage: python -m docs.bundles demo, or python -m docs.bundles clip FOLDER")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except WhatifError as error:
        sys.exit(str(error))
