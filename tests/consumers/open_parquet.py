"""Open each table of a dataset folder with DuckDB and with Polars; print digests of the rows.

python open_parquet.py FOLDER TABLE...
"""

import json
import sys
from typing import Any

import duckdb  # type: ignore[import-not-found]  # in an environment of its own
import polars  # type: ignore[import-not-found]
from digests import digest  # type: ignore[import-not-found]  # beside this script


def main(folder: str, *tables: str) -> None:
    places = {table: f"{folder}/{table}/*.parquet" for table in tables}
    told = {
        "duckdb": {table: _digests(_duckdb(place)) for table, place in places.items()},
        "polars": {
            table: _digests(polars.read_parquet(place).to_dicts())
            for table, place in places.items()
        },
        "counted": duckdb.execute(
            "select repository, count(*) from read_parquet(?) group by all order by all",
            [places["tasks"]],
        ).fetchall(),
        "scanned": polars.scan_parquet(places["tasks"])
        .group_by("repository")
        .len()
        .sort("repository")
        .collect()
        .rows(),
    }
    print(json.dumps(told))


def _digests(rows: list[dict[str, Any]]) -> list[str]:
    return [digest(row) for row in rows]


def _duckdb(place: str) -> list[dict[str, Any]]:
    found = duckdb.execute("select * from read_parquet(?)", [place])
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


if __name__ == "__main__":
    main(*sys.argv[1:])
