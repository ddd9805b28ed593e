"""The dataset card: what a dataset holds, for people and for the loaders that read its header.

The fields of the header are those of the Hub's dataset cards (`datasetcard.md` of its
documentation) and, under `configs`, what `datasets.load_dataset` needs.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import get_args

import yaml

from featuredel import tables
from featuredel.model import Cost, Register, Rejection, StatementRow, Task, Tier

_NAME = "Feature-deletion tasks"
_DEFAULT = "tasks"
_MINING = ("start", "acquire", "environment", "baseline", "discover")
_FORGING = {
    "delete": "candidates",
    "screen": "deleted, and their tests run without the feature",
    "validate": "brought before the gates of the deletion",
    "describe": "passed them",
    "score": "passed those of the statement as well",
}
"""What it means that a candidate came to a stage."""

_BINS = 10
_LISTED = 200  # a card of a million tasks should still be a page that a person can open
_HUB_LICENCES = frozenset(
    {
        "AFL-3.0", "Apache-2.0", "Artistic-2.0", "BSD-2-Clause", "BSD-3-Clause",
        "BSD-3-Clause-Clear", "BSL-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "EPL-2.0",
        "ISC", "MIT", "MPL-2.0", "MS-PL", "NCSA", "OFL-1.1", "PostgreSQL", "Unlicense", "WTFPL",
        "Zlib",
    }
)  # fmt: skip
"""SPDX ids that, in small letters, are ids of the Hub's list of licences as well."""


def dataset_card(
    tasks: Sequence[Task], statements: Sequence[StatementRow], rejections: Sequence[Rejection],
    costs: Sequence[Cost], shards: Mapping[str, tables.Shard],
) -> str:  # fmt: skip
    """Return README.md of a dataset with these rows and files, given by path in the dataset."""
    configs = _configs(shards)
    front = yaml.safe_dump(_front_matter(tasks, configs), sort_keys=False)
    return (
        f"---\n{front}---\n\n"
        + "\n\n".join(
            [
                f"# {_NAME}",
                "Each task is a real repository from which one tested feature was deleted. The"
                " solver writes it again; the repository's own tests are the reward: the share of"
                " the F2P tests that pass, if every P2P test passes, else 0. Made by featuredel.",
                _counts(configs),
                _funnel(tasks, rejections, costs),
                _licences(tasks),
                _repositories(tasks),
                _difficulty(tasks, statements),
                _rejections(rejections),
                *(_columns(name) for name in tables.TABLES),
            ]
        )
        + "\n"
    )


# --- the header ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """One split of a config: the files that a pattern matches."""

    config: str
    split: str
    pattern: str
    shards: tuple[tables.Shard, ...]


def _configs(shards: Mapping[str, tables.Shard]) -> list[_Part]:
    """Return what can be loaded by name: each table, and the statements of each register.

    A split without rows is left out: `datasets` 3.6 and 5.2 fail on a file that has none.
    """
    found: dict[tuple[str, str, str], list[tables.Shard]] = defaultdict(list)
    for path, shard in shards.items():
        table, _, file = path.partition("/")
        *register, split = file.split("-")[:-3]  # the last are <number>-of-<count>.parquet
        if register:
            found[table, split, f"{table}/*-{split}-*.parquet"].append(shard)
        start = "-".join([*register, split])
        found["_".join([table, *register]), split, f"{table}/{start}-*.parquet"].append(shard)
    parts = (_Part(*key, tuple(files)) for key, files in found.items())
    return sorted(
        (part for part in parts if any(shard.rows for shard in part.shards)),
        key=lambda part: (part.config != _DEFAULT, part.config, part.split),
    )


def _front_matter(tasks: Sequence[Task], parts: Iterable[_Part]) -> dict[str, object]:
    configs = []
    for config, group in itertools.groupby(parts, lambda part: part.config):
        data = [{"split": part.split, "path": part.pattern} for part in group]
        default = {"default": True} if config == _DEFAULT else {}
        configs.append({"config_name": config, **default, "data_files": data})
    return {
        "pretty_name": _NAME,
        **_licence_fields({task.licence for task in tasks}),
        "language": ["en"],
        "task_categories": ["text-generation"],
        "size_categories": [_size(len(tasks))],
        "tags": ["code", "reinforcement-learning", "feature-deletion"],
        "configs": configs,
    }


def _licence_fields(licences: Set[str]) -> dict[str, object]:
    known = sorted(licence.lower() for licence in licences)
    if licences and licences <= _HUB_LICENCES:
        return {"license": known[0] if len(known) == 1 else known}
    # an expression, or an id that the Hub has no page of
    name = known[0] if len(known) == 1 else "spdx-expression-of-each-row"
    return {"license": "other", "license_name": name}


def _size(rows: int) -> str:
    """Return the Hub's name for a number of rows."""
    bounds = ["n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M"]
    return bounds[min(len(bounds) - 1, max(0, len(str(rows)) - 3))]


# --- the page ------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _counts(parts: Iterable[_Part]) -> str:
    rows = [
        (f"`{part.config}`", part.split, sum(shard.rows for shard in part.shards), len(part.shards))
        for part in parts
    ]
    return (
        "## Configs\n\nWhat can be asked for by name, as in"
        ' `load_dataset(FOLDER, "statements_full")`; what has no rows is left out.\n\n'
        + _table(("config", "split", "rows", "files"), rows)
    )


def _funnel(tasks: Sequence[Task], rejections: Sequence[Rejection], costs: Sequence[Cost]) -> str:
    told: tuple[Rejection | Cost, ...] = (*rejections, *costs)
    listed = {task.repository for task in tasks} | {row.repository for row in told}
    refused = {row.repository for row in rejections if row.stage in _MINING}
    came: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in told:
        came[row.stage].add((row.repository, row.subject))
    rows: list[tuple[str, int]] = [
        ("repositories", len(listed)),
        ("repositories mined", len(listed - refused)),
        *((meaning, len(came[stage])) for stage, meaning in _FORGING.items() if costs),
        ("accepted as tasks", len(tasks)),
    ]
    return "## Funnel\n\n" + _table(("step", "number"), rows)


def _licences(tasks: Sequence[Task]) -> str:
    count = Counter(task.licence for task in tasks)
    names = {(task.licence, task.repository) for task in tasks}
    of = Counter(licence for licence, _ in names)
    rows = [(licence, of[licence], n) for licence, n in sorted(count.items())]
    return (
        "## Licences\n\nSPDX expressions; the licence texts are in the trees of `snapshots`.\n\n"
        + _table(("licence", "repositories", "tasks"), rows)
    )


def _repositories(tasks: Sequence[Task]) -> str:
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.repository, []).append(task)
    rows = [
        (name, group[0].source, group[0].licence, len(group), group[0].split)
        for name, group in sorted(groups.items())
    ]
    more = len(rows) - _LISTED
    return (
        "## Repositories\n\n"
        + _table(("repository", "source", "licence", "tasks", "split"), rows[:_LISTED])
        + (f"\n\nAnd {more} more, by name; see the column `repository`." if more > 0 else "")
    )


def _difficulty(tasks: Sequence[Task], statements: Sequence[StatementRow]) -> str:
    tiers = Counter(task.tier for task in tasks)
    registers = get_args(Register)
    bins = Counter((_bin(row.difficulty), row.register) for row in statements)
    rows = [
        (f"{n / _BINS:.1f} to {(n + 1) / _BINS:.1f}", *(bins[n, name] for name in registers))
        for n in range(_BINS)
    ]
    return (
        "## Difficulty\n\n"
        + _table(("tier", "tasks"), [(tier, tiers[tier]) for tier in get_args(Tier)])
        + "\n\nTasks by their difficulty, in each register that they are offered in:\n\n"
        + _table(("difficulty", *registers), rows)
    )


def _bin(difficulty: float) -> int:
    # as float32 a score is a little more or less: a row that was read back stays in its bin
    return min(_BINS - 1, int(round(difficulty, 4) * _BINS))


def _rejections(rejections: Sequence[Rejection]) -> str:
    count = Counter((r.stage, r.reason) for r in rejections)
    rows = [(stage, reason, n) for (stage, reason), n in sorted(count.items())]
    return "## Rejections\n\n" + _table(("stage", "reason", "number"), rows)


def _columns(name: str) -> str:
    """Return the schema of a table; only tables that solvers are shown have an audience."""
    fields = list(tables.schema(tables.TABLES[name]))
    audience = any(field.metadata for field in fields)
    rows = [
        (
            f"`{field.name}`", field.type, "yes" if field.nullable else "",
            *([field.metadata[b"audience"].decode()] if audience else []),
        )
        for field in fields
    ]  # fmt: skip
    told = "What a `grader` column holds must not reach a solver.\n\n" if name == _DEFAULT else ""
    head = ("column", "type", "may be null", *(["audience"] if audience else []))
    return f"## Columns of `{name}`\n\n{told}{_table(head, rows)}"
