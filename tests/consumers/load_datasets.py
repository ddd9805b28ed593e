"""Load a dataset folder with the `datasets` of this interpreter, and print as JSON what came.

    python load_datasets.py FOLDER REPOSITORY

Rows are told by their digests, by config and split.
"""

import json
import sys
from typing import Any

import datasets
import huggingface_hub  # type: ignore[import-not-found]
from digests import digest  # type: ignore[import-not-found]  # beside this script

Rows = dict[str, list[str]]


def main(folder: str, repository: str) -> None:
    configs = datasets.get_dataset_config_names(folder)
    filters = [("repository", "==", repository)]
    told = {
        "version": datasets.__version__,
        "plain": {config: _load(folder, config) for config in configs},
        "streaming": {config: _load(folder, config, streaming=True) for config in configs},
        "default": _load(folder),
        "filtered": _load(folder, split="train", filters=filters),
        "filtered streaming": _load(folder, split="train", filters=filters, streaming=True),
        "columns": _columns(folder),
        "card": huggingface_hub.DatasetCard.load(f"{folder}/README.md").data.to_dict(),
        "round trip": _round_trip(folder),
    }
    print(json.dumps(told))


def _load(folder: str, config: str | None = None, **how: Any) -> Rows:
    loaded = datasets.load_dataset(folder, config, **how)
    splits = {"train": loaded} if "split" in how else loaded
    return {split: [digest(row) for row in rows] for split, rows in splits.items()}


def _columns(folder: str) -> list[str]:
    return list(datasets.load_dataset(folder, "statements_full", split="train").column_names)


def _round_trip(folder: str) -> list[str]:
    """Return the digest of a task before and after it is written and read by `datasets`."""
    one = datasets.load_dataset(folder, split="train").select([0])
    one.to_parquet("one.parquet")
    again = datasets.load_dataset("parquet", data_files="one.parquet", split="train")
    return [digest(one[0]), digest(again[0])]


if __name__ == "__main__":
    main(*sys.argv[1:])
