"""What a person labels blind: python -m bench.labels DATASET DIR REPOSITORY...

Writes the gold patches of each repository's ten best-ranked tasks to DIR/REPOSITORY/TASK.diff. The
names and their order tell nothing of the rank.
"""

import sys
from pathlib import Path

from featuredel import tables

BEST = 10


def main(dataset: str, folder: str, *repositories: str) -> None:
    tasks = list(tables.read_tasks(dataset))
    for repository in repositories:
        own = [task for task in tasks if task.repository == repository]
        into = Path(folder, repository)
        into.mkdir(parents=True, exist_ok=True)
        for task in sorted(own, key=lambda t: (-t.rank, t.task_id))[:BEST]:
            (into / f"{task.task_id}.diff").write_bytes(task.gold_patch)


if __name__ == "__main__":
    main(*sys.argv[1:])
