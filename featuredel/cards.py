"""The dataset card: what a dataset holds, for people and for the loaders that read its header."""

from collections import Counter
from collections.abc import Iterable, Sequence

import yaml

from featuredel import tables
from featuredel.model import Rejection, Task

_TIERS = ("trivial", "easy", "medium", "hard", "extreme")
_WITH_A_TREE = ("validate", "describe", "score", "write")
_DEFAULT = "tasks"


def dataset_card(
    tasks: Sequence[Task], rejections: Sequence[Rejection], shards: Iterable[str]
) -> str:
    """Return README.md of a dataset with these rows and shard files."""
    front = yaml.safe_dump(_front_matter(tasks, shards), sort_keys=False)
    return (
        f"---\n{front}---\n\n"
        + "\n\n".join(
            [
                "# Feature-deletion tasks",
                "Each task is a real repository from which one tested feature was deleted. The"
                " solver writes it again; the repository's own tests are the reward: the share of"
                " the F2P tests that pass, if every P2P test passes, else 0. Made by featuredel.",
                _funnel(tasks, rejections),
                _repositories(tasks),
                _tiers(tasks),
                _rejections(rejections),
                _columns(),
            ]
        )
        + "\n"
    )


def _front_matter(tasks: Sequence[Task], shards: Iterable[str]) -> dict[str, object]:
    files: dict[str, dict[str, str]] = {}
    for shard in shards:
        table, _, name = shard.partition("/")
        split = name.split("-")[0]
        files.setdefault(table, {})[split] = f"{table}/{split}-*.parquet"
    configs = []
    for table in sorted(files, key=lambda name: (name != _DEFAULT, name)):
        data = [{"split": split, "path": path} for split, path in sorted(files[table].items())]
        configs.append({"config_name": table, "default": table == _DEFAULT, "data_files": data})
    licences = sorted({task.licence.lower() for task in tasks})
    return {
        "license": licences[0] if len(licences) == 1 else "other",
        "language": ["en"],
        "tags": ["code", "reinforcement-learning", "feature-deletion"],
        "configs": configs,
    }


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _funnel(tasks: Sequence[Task], rejections: Sequence[Rejection]) -> str:
    tried = len(tasks) + sum(r.stage in _WITH_A_TREE for r in rejections)
    return f"{len(tasks)} tasks, of {tried} candidates for which a tree was written."


def _repositories(tasks: Sequence[Task]) -> str:
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.repository, []).append(task)
    rows = [
        (name, group[0].source, group[0].licence, len(group), group[0].split)
        for name, group in sorted(groups.items())
    ]
    return "## Repositories\n\n" + _table(
        ("repository", "source", "licence", "tasks", "split"), rows
    )


def _tiers(tasks: Sequence[Task]) -> str:
    count = Counter(task.tier for task in tasks)
    return "## Difficulty\n\n" + _table(("tier", "tasks"), [(t, count[t]) for t in _TIERS])


def _rejections(rejections: Sequence[Rejection]) -> str:
    count = Counter((r.stage, r.reason) for r in rejections)
    rows = [(stage, reason, n) for (stage, reason), n in sorted(count.items())]
    return "## Rejections\n\n" + _table(("stage", "reason", "candidates"), rows)


def _columns() -> str:
    rows = [
        (f"`{field.name}`", field.type, field.metadata[b"audience"].decode())
        for field in tables.schema(Task)
    ]
    return (
        "## Columns of `tasks`\n\nWhat a `grader` column holds must not reach a solver.\n\n"
        + _table(("column", "type", "audience"), rows)
    )
