"""Twenty thousand small modules."""

from bench.redteam.view import View


def burden(view: View) -> None:
    for folder in range(20):
        place = view.root / view.package / f"many{folder}"
        place.mkdir()
        for number in range(1000):
            (place / f"m{number}.py").write_bytes(b"pass\n")
