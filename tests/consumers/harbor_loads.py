"""Run by Harbor's own Python: what it makes of a folder of tasks, as JSON."""

import json
import sys
from pathlib import Path

from harbor.models.dataset.manifest import DatasetManifest
from harbor.models.task.task import Task
from harbor.publisher.packager import Packager

folder = Path(sys.argv[1])
manifest = DatasetManifest.from_toml_file(folder / "dataset.toml")
digests = {one.name: one.digest for one in manifest.tasks}
told = []
for directory in sorted(path for path in folder.iterdir() if path.is_dir()):
    task = Task(directory)
    told.append(
        {
            "valid": Task.is_valid_dir(directory),
            "name": task.name,
            "instruction": task.instruction,
            "mode": task.config.verifier.environment_mode,
            "same": digests[task.name] == f"sha256:{Packager.compute_content_hash(directory)[0]}",
        }
    )
print(json.dumps(told))
