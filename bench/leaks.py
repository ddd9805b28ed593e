"""How fast a scan is, on one core: `python -m bench.leaks [PATH...] [--code FILE]`.

Prints what reading alone, searching alone and both together come to, in MB of views by processor
time. Without a PATH it reads what this interpreter has installed.
"""

import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from featuredel.leaks.matcher import Matcher
from featuredel.leaks.needles import needles_of
from featuredel.leaks.scan import search, views_of
from featuredel.leaks.views.view import View

KEPT_BYTES = 200 << 20
"""Of views that are searched again without being read again."""

CODE = Path(__file__).parent.parent / "featuredel" / "languages" / "python" / "cut.py"


@dataclass(frozen=True, slots=True)
class Measured:
    """Work in MB and the processor time it took."""

    size_mb: float
    cpu_s: float

    def __str__(self) -> str:
        return f"{self.size_mb:8.1f} MB {self.cpu_s:8.2f} s {self.size_mb / self.cpu_s:8.1f} MB/s"


def measured(work: Callable[[], Iterable[int]]) -> Measured:
    """Run the work, which yields sizes in bytes."""
    start = time.process_time()
    size_bytes = sum(work())
    return Measured(size_bytes / 1e6, time.process_time() - start)


@click.command()
@click.argument("roots", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--code", type=click.Path(path_type=Path, exists=True), default=CODE)
def main(roots: tuple[Path, ...], code: Path) -> None:
    """Measure a scan of ROOTS for the needles of some code."""
    roots = roots or (Path(sysconfig.get_path("purelib")),)
    matcher = Matcher(needles_of({str(code): code.read_text()}, []))
    kept: list[View] = []
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()

    def reading() -> Iterable[int]:
        left = KEPT_BYTES
        for item in views_of(roots):
            if isinstance(item, View):
                size = len(item.content)
                counts[item.name] += 1
                sizes[item.name] += size
                if size <= left:
                    left -= size
                    kept.append(item)
                yield size

    def searching(items: Iterable[object]) -> Iterable[int]:
        for item in items:
            if isinstance(item, View):
                for _ in search(matcher, item.content):
                    pass
                yield len(item.content)

    click.echo(f"{len(matcher.needles)} needles of {code.name}, {', '.join(map(str, roots))}")
    click.echo(f"reading    {measured(reading)}")
    click.echo(f"searching  {measured(lambda: searching(kept))}")
    kept.clear()
    click.echo(f"both       {measured(lambda: searching(views_of(roots)))}")
    for name, size in sizes.most_common():
        click.echo(f"  {name:14} {counts[name]:8} views {size / 1e6:10.1f} MB")


if __name__ == "__main__":
    main()
