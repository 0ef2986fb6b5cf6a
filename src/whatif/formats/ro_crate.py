"""Writes the metadata of an RO-Crate, a folder that says in JSON-LD what is in it and how it was made.

Specifications: RO-Crate 1.1 (https://w3id.org/ro/crate/1.1) and its profile Process Run Crate 0.5, which adds the
software that made the files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from whatif.formats.croissant import Described, PublishedFile, encoding

RO_CRATE = "ro-crate-metadata.json"
PROCESS_RUN = "https://w3id.org/ro/wfrun/process/0.5"


def ro_crate(described: Described, files: Sequence[PublishedFile], made: Mapping[str, Any], version: str) -> bytes:
    """The file `ro-crate-metadata.json` of a folder with these files; the same arguments give the same bytes.

    made: the commit and the libraries that the data was made with (`whatif.engine.graph.environment.made_with`), by
    whatif of this version. `described.date` must be known, because an RO-Crate needs it.
    """
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1")

    def add(at: str, kind: str, **properties: Any) -> Any:
        return crate.add(ContextEntity(crate, at, properties={"@type": kind, **properties}))

    root = crate.root_dataset
    root["name"], root["description"], root["version"] = described.name, described.description, described.version
    root["datePublished"], root["keywords"] = described.date, list(described.keywords)
    root["license"] = [add(one, "CreativeWork", name=one) for one in described.licences]
    root["author"] = [
        add(f"#author-{number}", "Person", name=name) for number, name in enumerate(described.creators, 1)
    ]
    if described.url:
        root["url"] = described.url
    root["conformsTo"] = add(PROCESS_RUN, "CreativeWork", name="Process Run Crate", version="0.5")
    parts = [
        crate.add_file(
            dest_path=one.path,
            properties={
                "name": PurePosixPath(one.path).name,
                "encodingFormat": encoding(one.path),
                "contentSize": str(one.size),
                "sha256": one.sha256,
            },
        )
        for one in files
    ]
    libraries = [
        add(f"#{name}-{of}", "SoftwareApplication", name=name, softwareVersion=of)
        for name, versions in made["libraries"].items()
        for of in versions
    ]
    whatif = add("#whatif", "SoftwareApplication", name="whatif", softwareVersion=version)
    whatif["softwareRequirements"] = libraries
    project = None
    if made["commit"]:
        differ = f"{made['changed_files']} tracked files differ from this commit."
        project = add("#project", "SoftwareSourceCode", name="project", version=made["commit"], description=differ)
    root["mentions"] = crate.add_action(
        whatif, "#made", object=project, result=parts, properties={"name": f"whatif made {described.name}"}
    )
    return (json.dumps(crate.metadata.generate(), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
