"""What Java's tools make: class files with and without debug tables, jars in jars, javadoc."""

import zipfile
from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Words, Workshop, copied


def _classes(shop: Workshop, out: Path) -> None:
    source = shop.answer.root / shop.answer.path
    for folder, *options in (("bare", "-g:none"), ("lines",), ("debug", "-g", "-parameters")):
        (out / folder).mkdir()
        shop.trusted(["javac", "-Xlint:none", *options, "-d", out / folder, source], out)
    jar: Words = ["jar", "--create", "--file"]
    shop.trusted([*jar, out / "bare.jar", "-C", out / "bare", "."], out)
    shop.trusted([*jar, out / "debug.jar", "-C", out / "debug", "."], out)
    shop.trusted([*jar, out / "tides-sources.jar", "-C", shop.answer.root, "."], out)
    stored: Words = [*jar, out / "stored.jar", "--no-compress", "-C", out / "bare", "."]
    shop.trusted(stored, out)
    (out / "inner").mkdir()
    copied(out / "debug.jar", out / "inner" / "WEB-INF" / "lib" / "tides.jar")
    shop.trusted([*jar, out / "app.war", "-C", out / "inner", "."], out)
    with zipfile.ZipFile(out / "app.ear", "w", zipfile.ZIP_DEFLATED) as ear:
        ear.write(out / "app.war", "app.war")
    copied(out / "bare.jar", out / ".m2/repository/harbour/tides/1.0/tides-1.0.jar")
    (shop.scratch / "module-info.java").write_text("module harbour { exports harbour; }")
    module: Words = [
        "javac",
        "-d",
        shop.scratch / "module",
        shop.scratch / "module-info.java",
        source,
    ]
    shop.trusted(module, out)
    jmod: Words = ["jmod", "create", "--class-path", shop.scratch / "module", out / "tides.jmod"]
    shop.trusted(jmod, out)


def _javadoc(shop: Workshop, out: Path) -> None:
    source = shop.answer.root / shop.answer.path
    shop.trusted(["javadoc", "-quiet", "-private", "-linksource", "-d", out / "api", source], out)
    (out / "javadoc-jar").mkdir()
    shop.trusted(
        ["jar", "--create", "--file", out / "tides-javadoc.jar", "-C", out / "api", "."], out
    )


MAKINGS = (
    Making(
        "javac and jar", "Java", _classes,
        (
            Vector("class-without-debug", ("bare/**/*.class",)),
            Vector("class", ("lines/**/*.class",)),
            Vector("class-with-debug", ("debug/**/*.class",)),
            Vector("jar", ("bare.jar",)),
            Vector("jar-with-debug", ("debug.jar",)),
            Vector("jar-stored", ("stored.jar",)),
            Vector("jar-sources", ("tides-sources.jar",)),
            Vector("jar-in-war", ("app.war",)),
            Vector("jar-in-war-in-ear", ("app.ear",)),
            Vector("maven-repository", (".m2/**/*.jar",), ruled=True),
            Vector("jmod", ("*.jmod",)),
        ),
        needs=("program javac", "program jar", "program jmod"),
        subject="java",
        sampled=True,
    ),
    Making(
        "javadoc", "Java", _javadoc,
        (
            Vector("javadoc-page", ("api/harbour/Tides.html",)),
            Vector("javadoc-source", ("api/src-html/**/*.html",)),
            Vector("javadoc-member-index", ("api/member-search-index.js",)),
            Vector("javadoc-jar", ("tides-javadoc.jar",)),
        ),
        needs=("program javadoc", "program jar"),
        subject="java",
    ),
)  # fmt: skip
