"""Telling a project's licence: from its metadata, else from the texts that it carries."""

import re
from collections.abc import Iterator
from pathlib import Path

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from featuredel.sources.licences import UNKNOWN_LICENCE
from featuredel.sources.metadata import ProjectMetadata

_LICENCE_FILE = re.compile(r"(?:un)?licen[cs]e|copying", re.IGNORECASE)
_LICENCE_DIRECTORY = re.compile(r"licen[cs]es?", re.IGNORECASE)
_MAX_TEXT_BYTES = 200_000
_HEAD = 600  # characters in which the licences of the GNU family give their name

_CLASSIFIERS = {
    "Academic Free License (AFL)": "AFL-3.0",
    "Apache Software License": "Apache-2.0",
    "Boost Software License 1.0 (BSL-1.0)": "BSL-1.0",
    "CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": "CC0-1.0",
    "GNU Affero General Public License v3": "AGPL-3.0-only",
    "GNU Affero General Public License v3 or later (AGPLv3+)": "AGPL-3.0-or-later",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.0-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Zero-Clause BSD (0BSD)": "0BSD",
    "zlib/libpng License": "Zlib",
}
"""What classifiers say for certain; "BSD License" and the like do not."""

_NAMES = {
    "3-clause bsd": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd 2-clause": "BSD-2-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "modified bsd": "BSD-3-Clause",
    "simplified bsd": "BSD-2-Clause",
    "apache 2.0": "Apache-2.0",
    "apache 2": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache license version 2.0": "Apache-2.0",
    "the mit license": "MIT",
    "mit license": "MIT",
    "mpl 2.0": "MPL-2.0",
    "psf": "PSF-2.0",
    "public domain": UNKNOWN_LICENCE,
}


def licence_of(root: Path, metadata: ProjectMetadata) -> str:
    """Return the project's SPDX expression, canonical, or `LicenseRef-unknown`.

    A stated expression counts first, then the texts of the licence files at the top of the tree
    (several texts: all of them hold), then classifiers, then a licence field in plain words.
    """
    for stated in (metadata.licence_expression, metadata.licence_text):
        if stated and (expression := canonical(stated)):
            return expression
    texts = [_text(path) for path in _licence_files(root)]
    if metadata.licence_text and len(metadata.licence_text) > _HEAD // 6:
        texts.append(metadata.licence_text)  # some put the whole text there
    by_classifier = _of_classifiers(metadata.classifiers)
    if found := sorted({licence for text in texts for licence in licences_in(text)}):
        # a GNU text does not say whether later versions will do, a classifier does
        if by_classifier and _family(by_classifier) == _family(found[0]) and len(found) == 1:
            return by_classifier
        return canonical(" AND ".join(found)) or UNKNOWN_LICENCE
    named = _NAMES.get(" ".join((metadata.licence_text or "").lower().split()).removesuffix("."))
    return by_classifier or named or UNKNOWN_LICENCE


def canonical(expression: str) -> str | None:
    """Return the SPDX expression in its canonical form, or None if it is none."""
    try:
        return str(canonicalize_license_expression(expression.strip()))
    except InvalidLicenseExpression:
        return None


def licences_in(text: str) -> Iterator[str]:
    """Yield the SPDX ids of the licences whose text this is, or that it holds."""
    flat = " ".join(re.sub(r"[*#>\"'`\u2018-\u201d]+", " ", text.lower()).split())
    yield from _gnu(flat)
    yield from _grants(flat)
    yield from _redistributions(flat)
    for licence, phrases in _PHRASES.items():
        if all(phrase in flat for phrase in phrases):
            yield licence


_PHRASES = {
    "Apache-2.0": ("apache license", "version 2.0, january 2004"),
    "MPL-2.0": ("mozilla public license version 2.0", "1.1. contributor"),
    "PSF-2.0": ("python software foundation license version 2", "psf hereby grants licensee"),
    "Unlicense": ("this is free and unencumbered software released into the public domain",),
    "CC0-1.0": ("cc0 1.0 universal", "affirmer"),
    "Zlib": ("provided as-is", "altered source versions must be plainly marked"),
    "BSL-1.0": ("boost software license - version 1.0",),
    "WTFPL": ("do what the fuck you want to public license",),
}


def _gnu(flat: str) -> Iterator[str]:
    head = flat[:_HEAD]
    for name, family in (
        ("affero ", "AGPL"),
        ("lesser ", "LGPL"),
        ("library ", "LGPL"),
        ("", "GPL"),
    ):
        found = re.search(rf"gnu {name}general public license,? version (\d)(\.\d)?", head)
        if found:
            yield f"{family}-{found[1]}{found[2] or '.0'}-only"
            return


def _grants(flat: str) -> Iterator[str]:
    if "permission is hereby granted, free of charge, to any person obtaining a copy" in flat:
        notice = "this permission notice" in flat or "the above copyright notice" in flat
        yield "MIT" if notice else "MIT-0"
    grant = r"permission to use, copy, modify,? and(?:/or)? distribute this software"
    if re.search(rf"{grant}(?: and its documentation)? for any purpose", flat):
        yield "ISC" if "provided that the above copyright notice" in flat else "0BSD"


def _redistributions(flat: str) -> Iterator[str]:
    if "redistribution and use in source and binary forms" not in flat:
        return
    if "all advertising materials" in flat:
        yield "BSD-4-Clause"
    elif "endorse or promote" in flat or "used to endorse" in flat:
        yield "BSD-3-Clause"
    elif "in binary form must" in flat:
        yield "BSD-2-Clause"


def _licence_files(root: Path) -> Iterator[Path]:
    for path in sorted(root.iterdir()):
        if _LICENCE_DIRECTORY.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            yield from (file for file in sorted(path.iterdir()) if _is_plain(file))
        elif _LICENCE_FILE.match(path.name) and _is_plain(path) and path.suffix != ".py":
            yield path


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MAX_TEXT_BYTES).decode("utf-8", "replace")


def _of_classifiers(classifiers: tuple[str, ...]) -> str | None:
    names = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")]
    names = [name for name in names if name != "OSI Approved"]
    found = [_CLASSIFIERS.get(name) for name in names]
    if not found or None in found:
        return None
    # several classifiers are the usual way to say that one may choose
    return canonical(" OR ".join(sorted(item for item in found if item)))


def _family(licence: str) -> str:
    return licence.removesuffix("-only").removesuffix("-or-later")
