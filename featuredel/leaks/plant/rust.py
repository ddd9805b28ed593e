"""What cargo makes: metadata, libraries, test programs, incremental state, documents, crates."""

from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Workshop


def _cargo(shop: Workshop, out: Path) -> None:
    tree = shop.tree()
    home = Path.home()
    variables = {
        "CARGO_TARGET_DIR": str(out / "target"),
        "CARGO_INCREMENTAL": "1",
        # the toolchain is the user's; only what cargo keeps is to be elsewhere
        "RUSTUP_HOME": str(home / ".rustup"),
        "CARGO_HOME": str(shop.scratch / "cargo"),
    }
    cargo = ["cargo", "--offline", "--quiet"]
    shop.trusted([*cargo, "test", "--no-run"], tree, variables)
    shop.trusted([*cargo, "build", "--release"], tree, variables)
    shop.trusted([*cargo, "doc", "--no-deps"], tree, variables)
    package = ["package", "--allow-dirty", "--no-verify"]
    shop.trusted([*cargo, *package], tree, variables)


MAKINGS = (
    Making(
        "cargo", "Rust", _cargo,
        (
            Vector("rust-metadata", ("target/debug/deps/*.rmeta",), ruled=True),
            Vector("rust-library", ("target/release/deps/*.rlib",), ruled=True),
            Vector("rust-test-program", ("target/debug/deps/tides-*[0-9a-f]",), ruled=True),
            Vector("rust-incremental", ("target/debug/incremental/**/*.bin",), ruled=True),
            Vector("rust-doc", ("target/doc/tides/**/*.html",), ruled=True),
            Vector("rust-doc-source", ("target/doc/src/**/*.html",), ruled=True),
            Vector("rust-doc-search", ("target/doc/search*/**/*.js", "target/doc/search*.js")),
            Vector("rust-crate", ("target/package/*.crate",), ruled=True),
        ),
        needs=("program cargo",),
        subject="rust",
    ),
)  # fmt: skip
