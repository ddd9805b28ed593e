"""How fast a scan is, on one core: `python -m bench.leaks [PATH...] [--code FILE]`.

Says what reading alone, searching alone and both together come to, in MB of views by processor
time. Without a PATH it reads what this interpreter has installed; without any argument it also
writes a section of RESULTS.md.
"""

import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from bench.results import machine, table, write_section
from featuredel.leaks.matcher import Matcher
from featuredel.leaks.needles import needles_of
from featuredel.leaks.scan import search, views_of
from featuredel.leaks.views.view import View

KEPT_BYTES = 200 << 20
"""Of views that are searched again without being read again."""

HEAD = """## Leaks: speed of a scan

What featuredel's own environment has installed, read through every view on one core and searched
for {needles} needles; searching alone is of the first 200 MB. On {machine}.
"""

CODE = Path(__file__).parent.parent / "featuredel" / "languages" / "python" / "cut.py"


@dataclass(frozen=True, slots=True)
class Measured:
    """Work in MB and the processor time it took."""

    size_mb: float
    cpu_s: float

    @property
    def cells(self) -> tuple[str, str, str]:
        """MB, seconds, MB/s."""
        rate = self.size_mb / self.cpu_s
        return f"{self.size_mb:.1f}", f"{self.cpu_s:.2f}", f"{rate:.1f}"


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
    is_own = not roots and code == CODE
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

    read, searched = measured(reading), measured(lambda: searching(kept))
    kept.clear()
    both = measured(lambda: searching(views_of(roots)))
    found = (("reading", read), ("searching", searched), ("both", both))
    rates = table(("work", "MB", "CPU s", "MB/s"), [(name, *one.cells) for name, one in found])
    ordered = sizes.most_common()
    views = table(
        ("view", "number", "MB"), [(name, counts[name], f"{s / 1e6:.1f}") for name, s in ordered]
    )
    text = HEAD.format(needles=len(matcher.needles), machine=machine())
    text = f"{text}\n{rates}\n\n{views}"
    click.echo(text)
    if is_own:
        write_section("scan", "python -m bench.leaks", text)


if __name__ == "__main__":
    main()
