"""What swebench's own code makes of rows and logs. Run by the Python of its environment.

    judge.py scripts ROWS FOLDER    write the script of each row as the harness would run it
    judge.py reports ROWS FOLDER    print the reports on the logs, as JSON

FOLDER has for each row a folder by its id: `eval.sh`, and a log for each answer, `gold.log`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from swebench.harness.grading import get_eval_report  # type: ignore[import-not-found]
from swebench.harness.utils import (  # type: ignore[import-not-found]
    load_swebench_dataset,
    make_test_spec,
)


def write_scripts(rows: list[Any], folder: Path) -> None:
    for row in rows:
        place = folder / row["instance_id"]
        place.mkdir()
        (place / "eval.sh").write_text(make_test_spec(row).eval_script)


def reports(rows: list[Any], folder: Path) -> dict[str, dict[str, Any]]:
    """Return by row and answer what the harness reports."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        task, patches = row["instance_id"], {"gold": row["patch"], "empty": ""}
        for answer, patch in patches.items():
            prediction = {
                "instance_id": task, "model_name_or_path": answer, "model_patch": patch,
            }  # fmt: skip
            log = str(folder / task / f"{answer}.log")
            report = get_eval_report(make_test_spec(row), prediction, log, True)
            found.setdefault(task, {})[answer] = report[task]
    return found


if __name__ == "__main__":
    asked, file, folder = sys.argv[1:]
    rows = load_swebench_dataset(file)
    if asked == "scripts":
        write_scripts(rows, Path(folder))
    else:
        print(json.dumps(reports(rows, Path(folder))))
