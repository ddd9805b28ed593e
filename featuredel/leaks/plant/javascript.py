"""What tools of JavaScript and TypeScript make: maps, bundles, packages and caches."""

import json
import shutil
from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Words, Workshop

_TSC = ("--target", "es2020", "--module", "commonjs", "--rootDir", "src", "--incremental")


def _tree(shop: Workshop) -> Path:
    """Return a copy of the answer's tree with the tools beside it."""
    tree = shop.tree()
    (tree / "node_modules").symlink_to(shop.tools.npm("web").resolve() / "node_modules")
    return tree


def _tool(shop: Workshop, name: str) -> Path:
    return shop.tools.npm("web") / "node_modules" / ".bin" / name


def _typescript(shop: Workshop, out: Path) -> None:
    tree = _tree(shop)
    tsc: Words = [
        _tool(shop, "tsc"),
        *_TSC,
        "--skipLibCheck",
        "--typeRoots",
        "none",
        "src/index.ts",
        "src/tides.ts",
    ]
    maps: Words = ["--sourceMap", "--inlineSources", "--declaration", "--declarationMap"]
    built: Words = ["--tsBuildInfoFile", out / "mapped" / "tides.tsbuildinfo"]
    shop.trusted([*tsc, *maps, *built, "--outDir", out / "mapped"], tree)
    inline: Words = ["--inlineSourceMap", "--inlineSources", "--removeComments"]
    unused: Words = ["--tsBuildInfoFile", shop.scratch / "unused"]
    shop.trusted([*tsc, *inline, *unused, "--outDir", out / "inline"], tree)


def _esbuild(shop: Workshop, out: Path) -> None:
    tree = _tree(shop)
    bundle: Words = [
        _tool(shop, "esbuild"),
        "src/index.ts",
        "--bundle",
        "--minify",
        "--platform=node",
    ]
    shop.trusted([*bundle, f"--outfile={out / 'plain' / 'bundle.js'}"], tree)
    mapped = ["--sourcemap", f"--outfile={out / 'mapped' / 'bundle.js'}"]
    shop.trusted([*bundle, *mapped], tree)
    inline: Words = ["--sourcemap=inline", f"--outfile={out / 'inline' / 'bundle.js'}"]
    shop.trusted([*bundle, *inline], tree)


def _npm(shop: Workshop, out: Path) -> None:
    tree = shop.tree()
    settings = {"npm_config_cache": str(out / ".npm"), "npm_config_offline": "true"}
    shop.trusted(["npm", "pack", "--silent", "--pack-destination", out], tree, settings)
    shop.trusted(["npm", "cache", "add", out / "tides-1.0.0.tgz"], tree, settings)
    host = shop.scratch / "host"
    host.mkdir()
    (host / "package.json").write_text('{"name": "host", "version": "1.0.0"}')
    install: Words = ["npm", "install", "--silent", "--no-audit", out / "tides-1.0.0.tgz"]
    shop.trusted(install, host, settings)
    shutil.copytree(host / "node_modules", out / "node_modules")


def _jest(shop: Workshop, out: Path) -> None:
    """Keep jest's coverage, and its cache of transformed modules with their source maps."""
    tree = _tree(shop)
    tsc: Words = [
        _tool(shop, "tsc"),
        *_TSC,
        "--skipLibCheck",
        "--typeRoots",
        "none",
        "--inlineSourceMap",
        "--inlineSources",
    ]
    unused: Words = ["--tsBuildInfoFile", shop.scratch / "unused"]
    sources = ["src/index.ts", "src/tides.ts"]
    shop.trusted([*tsc, *unused, "--outDir", "built", *sources], tree)
    settings = {"rootDir": ".", "cacheDirectory": str(out / "jest_cache"), "watchman": False}
    (tree / "jest.config.json").write_text(json.dumps(settings | {"testMatch": ["**/*.test.js"]}))
    coverage: Words = ["--coverage", "--coverageDirectory", out / "coverage"]
    reporters = ["json", "lcov"]
    named = [word for reporter in reporters for word in ("--coverageReporters", reporter)]
    jest: Words = [
        _tool(shop, "jest"),
        "--config",
        "jest.config.json",
        "--runInBand",
        "--no-watchman",
    ]
    shop.trusted([*jest, *coverage, *named], tree)


def _webpack(shop: Workshop, out: Path) -> None:
    """Keep webpack's cache on disk, and a bundle whose modules are strings for eval."""
    tree = _tree(shop)
    unused: Words = ["--tsBuildInfoFile", shop.scratch / "unused"]
    tsc: Words = [
        _tool(shop, "tsc"),
        *_TSC,
        "--skipLibCheck",
        "--typeRoots",
        "none",
        "src/index.ts",
        "src/tides.ts",
    ]
    shop.trusted([*tsc, *unused, "--outDir", "built"], tree)
    settings = {
        "mode": "development", "devtool": "eval", "target": "node", "context": str(tree),
        "entry": "./built/index.js", "output": {"path": str(out / "eval")},
        "cache": {"type": "filesystem", "cacheDirectory": str(out / ".cache" / "webpack")},
    }  # fmt: skip
    script = (
        f"const compiler = require('webpack')({json.dumps(settings)});"
        "compiler.run((error, stats) => { if (error || stats.hasErrors()) process.exit(1);"
        " compiler.close(() => {}); });"
    )
    shop.trusted(["node", "-e", script], tree)


MAKINGS = (
    Making(
        "tsc", "JavaScript", _typescript,
        (
            Vector("tsc-output", ("mapped/tides.js",)),
            Vector("tsc-source-map", ("mapped/tides.js.map",)),
            Vector("tsc-declarations", ("mapped/tides.d.ts",)),
            Vector("tsc-declaration-map", ("mapped/*.d.ts.map",), content=False),
            Vector("tsc-build-info", ("mapped/*.tsbuildinfo",), content=False, ruled=True),
            Vector("tsc-inline-map", ("inline/tides.js",)),
        ),
        needs=("npm web",),
        subject="typescript",
    ),
    Making(
        "esbuild", "JavaScript", _esbuild,
        (
            Vector("esbuild-minified", ("plain/bundle.js",)),
            Vector("esbuild-source-map", ("mapped/bundle.js.map",)),
            Vector("esbuild-inline-map", ("inline/bundle.js",)),
        ),
        needs=("npm web",),
        subject="typescript",
    ),
    Making(
        "npm", "JavaScript", _npm,
        (
            Vector("npm-package", ("*.tgz",)),
            Vector("npm-cache", (".npm/_cacache/**/*",), ruled=True),
            Vector("npm-installed", ("node_modules/tides/**/*",)),
        ),
        needs=("program npm", "program node"),
        subject="typescript",
    ),
    Making(
        "jest", "JavaScript", _jest,
        (
            Vector("jest-cache", ("jest_cache/**/*",), ruled=True),
            Vector("jest-coverage-json", ("coverage/coverage-final.json",), ruled=True),
            Vector("jest-coverage-lcov", ("coverage/lcov.info",), ruled=True),
            Vector("jest-coverage-html", ("coverage/lcov-report/**/*.html",), ruled=True),
        ),
        needs=("npm web",),
        subject="typescript",
    ),
    Making(
        "webpack", "JavaScript", _webpack,
        (
            Vector("webpack-cache", (".cache/webpack/**/*",)),
            Vector("webpack-eval-bundle", ("eval/*.js",)),
        ),
        needs=("npm web",),
        subject="typescript",
    ),
)  # fmt: skip
