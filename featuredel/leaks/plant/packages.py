"""What packaging keeps: builds, archives, installs, and the caches of pip and uv."""

import shlex
import sys
import zipfile
from pathlib import Path

from uv import find_uv_bin

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Workshop, copied
from featuredel.sandbox import Mount

_PYPROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
"""
_SETUP = """
from setuptools import find_namespace_packages, setup
setup(
    name="planted", version="1.0", package_dir={{"": {where!r}}},
    packages=[p for p in find_namespace_packages({where!r}) if p.split(".")[0] == {package!r}],
    py_modules={modules!r},
)
"""
_CLEAN = {"setup.cfg": "", "MANIFEST.in": ""}
_INDEX = """
import functools, http.server, pathlib, subprocess, sys, threading

class Index(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

handler = functools.partial(Index, directory="index")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/simple"
pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", "from_index"]
subprocess.run([*pip, "--trusted-host", "127.0.0.1", "--index-url", url, "planted"], check=True)
"""


def _project(shop: Workshop) -> Path:
    """Return a layer that makes the answer's tree build with setuptools alone, without network."""
    answer = shop.answer
    is_module = answer.package.endswith(".py")
    setup = _SETUP.format(
        where=answer.source or ".",
        package=answer.package,
        modules=[answer.package.removesuffix(".py")] if is_module else [],
    )
    return shop.layer(_CLEAN | {"setup.py": setup, "pyproject.toml": _PYPROJECT})


def _pip(shop: Workshop, out: Path) -> None:
    pip = "python -m pip --quiet --disable-pip-version-check"
    offline = "--no-index --no-build-isolation --no-deps"
    script = (
        "python setup.py -q build\n"
        "python setup.py -q sdist --formats=gztar,zip,bztar,xztar,tar\n"
        f"{pip} wheel {offline} -w wheels .\n"
        f"{pip} install {offline} --target installed wheels/*.whl\n"
        "mkdir sources; cp dist/planted-1.0.tar.gz sources\n"
        f"{pip} install {offline} --find-links sources --target from_cache planted\n"
        f"{pip} install {offline} --prefix prefix -e .\n"
        "mkdir -p index/simple/planted; cp wheels/*.whl index/simple/planted\n"
        "python serve.py"
    )
    layer = _project(shop)
    (layer / "serve.py").write_text(_INDEX)
    shop.shell("build", script, out, layers=(layer,))


def _nested(shop: Workshop, out: Path) -> None:
    """Put a wheel into a wheel, stored and compressed, as installers bundle them."""
    folder = shop.scratch / "zips"
    folder.mkdir()
    inner = folder / "inner.whl"
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in shop.answer.paths:
            wheel.write(shop.answer.root / path, path)
    for name, how in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(out / f"{name}.whl", "w", how) as wheel:
            wheel.write(inner, "installer/_bundled/inner-1.0-py3-none-any.whl")
    for name, how in (("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA)):
        with zipfile.ZipFile(out / f"{name}.zip", "w", how) as wheel:
            wheel.write(inner, "inner.whl", zipfile.ZIP_STORED)
            wheel.write(shop.answer.root / shop.answer.path, "module.py")


def _uv(shop: Workshop, out: Path) -> None:
    """Keep uv's cache after installs of a source archive, a wheel and a git repository."""
    uv = "/opt/uv"
    install = f"{uv} pip install -q --offline --no-index --no-build-isolation --no-deps"
    target = f"--python {shlex.quote(str(shop.tools.pins('build') / 'bin' / 'python'))}"
    git = "git -c user.name=a -c user.email=a@example.com"
    script = (
        "python setup.py -q sdist --formats=gztar\n"
        f"{install} {target} --target one dist/planted-1.0.tar.gz\n"
        "python -m pip wheel -q --no-index --no-build-isolation --no-deps -w wheels .\n"
        f"{install} {target} --target two --reinstall wheels/*.whl\n"
        "mkdir repository; cp -r setup.py pyproject.toml setup.cfg repository\n"
        f"mkdir -p repository/{shop.answer.source}\n"
        f"cp -r {shop.answer.source or '.'}/{shop.answer.package} repository/{shop.answer.source}\n"
        f"cd repository; {git} init -q; {git} add -A; {git} commit -qm all; cd ..\n"
        f"{install} {target} --target three --reinstall git+file:///workspace/repository"
    )
    program = Mount(Path(find_uv_bin()), uv)
    shop.shell("build", script, out, layers=(_project(shop),), mounts=(program,))


def _debian(shop: Workshop, out: Path) -> None:
    """Build a Debian package: an ar archive of compressed tar archives."""
    for how in ("xz", "zstd", "gzip"):
        folder = shop.scratch / how
        for path in shop.answer.paths:
            copied(shop.answer.root / path, folder / "usr/lib/python3/dist-packages" / path)
        control = "Package: planted\nVersion: 1\nArchitecture: all\nMaintainer: a <a@example.com>\n"
        (folder / "DEBIAN").mkdir()
        (folder / "DEBIAN" / "control").write_text(f"{control}Description: planted\n")
        shop.trusted(["dpkg-deb", f"-Z{how}", "--build", folder, out / f"{how}.deb"], out)


def _conda(shop: Workshop, out: Path) -> None:
    """Lay out a conda package by hand: a zip whose members are tar archives under zstd."""
    folder = shop.scratch / "conda"
    for path in shop.answer.paths:
        copied(shop.answer.root / path, folder / "lib/python3/site-packages" / path)
    shop.trusted(["tar", "-cf", "pkg-planted-1.0-0.tar", "-C", folder, "lib"], shop.scratch)
    shop.trusted(["zstd", "-q", "-19", "pkg-planted-1.0-0.tar"], shop.scratch)
    with zipfile.ZipFile(out / "planted-1.0-0.conda", "w", zipfile.ZIP_STORED) as package:
        package.writestr("metadata.json", '{"conda_pkg_format_version": 2}')
        package.write(shop.scratch / "pkg-planted-1.0-0.tar.zst", "pkg-planted-1.0-0.tar.zst")


def _environment(shop: Workshop, out: Path) -> None:
    """Lay out an environment of tox with a copy of the project."""
    place = out / ".tox" / "py3" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    for path in shop.answer.paths:
        copied(shop.answer.root / path, place / path)


MAKINGS = (
    Making(
        "pip and setuptools", "packages", _pip,
        (
            Vector("build-lib", ("build/lib/**/*.py",), ruled=True),
            Vector("egg-info-sources", ("**/*.egg-info/SOURCES.txt",), content=False, ruled=True),
            Vector("sdist-tar-gz", ("dist/*.tar.gz",)),
            Vector("sdist-zip", ("dist/*.zip",)),
            Vector("sdist-tar-bz2", ("dist/*.tar.bz2",)),
            Vector("sdist-tar-xz", ("dist/*.tar.xz",)),
            Vector("sdist-tar", ("dist/*.tar",)),
            Vector("wheel", ("wheels/*.whl",)),
            Vector("installed-source", ("installed/**/*.py",)),
            Vector("installed-bytecode", ("installed/**/*.pyc",), ruled=True),
            Vector("pip-wheel-cache", (".home/.cache/pip/wheels/**/*",), ruled=True),
            Vector("pip-http-cache", (".home/.cache/pip/http*/**/*",), ruled=True),
            Vector(
                "editable-install",
                ("prefix/**/*.pth", "prefix/**/*_finder.py", "prefix/**/direct_url.json"),
                content=False,
            ),
        ),
        needs=("pins build",),
        sampled=True,
    ),
    Making(
        "nested archives", "packages", _nested,
        (
            Vector("wheel-in-wheel", ("stored.whl",)),
            Vector("wheel-in-wheel-deflated", ("deflated.whl",)),
            Vector("zip-bzip2", ("bzip2.zip",)),
            Vector("zip-lzma", ("lzma.zip",)),
        ),
        sampled=True,
    ),
    Making(
        "uv", "packages", _uv,
        (
            Vector("uv-archives", (".home/.cache/uv/archive-*/**/*",), ruled=True),
            Vector("uv-sdists", (".home/.cache/uv/sdists-*/**/*",), ruled=True),
            Vector("uv-git-checkout", (".home/.cache/uv/git-*/checkouts/**/*",), ruled=True),
            Vector(
                "uv-git-database", (".home/.cache/uv/git-*/db",), ruled=True, renaming="top"
            ),
        ),
        needs=("pins build",),
    ),
    Making(
        "Debian packages", "packages", _debian,
        (
            Vector("debian-xz", ("xz.deb",)),
            Vector("debian-zstd", ("zstd.deb",)),
            Vector("debian-gzip", ("gzip.deb",)),
        ),
        needs=("program dpkg-deb",),
    ),
    Making(
        "conda package", "packages", _conda,
        (Vector("conda-package", ("*.conda",)),),
        needs=("program zstd",),
        sampled=True,
    ),
    Making(
        "tox", "packages", _environment,
        (Vector("tox-environment", (".tox/**/*.py",), ruled=True),),
        sampled=True,
    ),
)  # fmt: skip
