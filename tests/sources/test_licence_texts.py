"""Licences: from what is stated, from texts, from classifiers."""

from pathlib import Path

import pytest

from featuredel.sources.licence_texts import licence_of, licences_in
from featuredel.sources.licences import UNKNOWN_LICENCE
from featuredel.sources.metadata import ProjectMetadata

MIT = """Copyright (c) 2020 Somebody

Permission is hereby granted, free of charge, to any person obtaining
a copy of this software and associated documentation files. The above copyright
notice and this permission notice shall be included in all copies.
"""
BSD_2 = """Redistribution and use in source and binary forms, with or without
modification, are permitted.
 * Redistributions in binary form must reproduce the above copyright notice.
"""
BSD_3 = (
    BSD_2 + " * Neither the name of X nor the names may be used to endorse or promote products.\n"
)
GPL_3 = "  GNU GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MIT, ["MIT"]),
        (BSD_2, ["BSD-2-Clause"]),
        (BSD_3, ["BSD-3-Clause"]),
        (BSD_3 + "All advertising materials must", ["BSD-4-Clause"]),
        (" Apache License\n  Version 2.0, January 2004\n", ["Apache-2.0"]),
        ("Mozilla Public License Version 2.0\n=====\n1.1. “Contributor”\n", ["MPL-2.0"]),
        (GPL_3, ["GPL-3.0-only"]),
        ("GNU AFFERO GENERAL PUBLIC LICENSE\n Version 3, 19 Nov 2007", ["AGPL-3.0-only"]),
        ("GNU LESSER GENERAL PUBLIC LICENSE\n Version 2.1, February 1999", ["LGPL-2.1-only"]),
        ("GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991", ["GPL-2.0-only"]),
        (
            "Permission to use, copy, modify, and/or distribute this software for any purpose "
            "with or without fee is hereby granted, provided that the above copyright notice",
            ["ISC"],
        ),
        (
            "Permission to use, copy, modify, and/or distribute this software for any purpose "
            "with or without fee is hereby granted.",
            ["0BSD"],
        ),
        ("This is free and unencumbered software released into the public domain.", ["Unlicense"]),
        (MIT + BSD_3, ["MIT", "BSD-3-Clause"]),
        ("All rights reserved.", []),
    ],
)
def test_texts(text: str, expected: list[str]) -> None:
    assert list(licences_in(text)) == expected


@pytest.mark.parametrize(
    ("metadata", "files", "expected"),
    [
        (ProjectMetadata(licence_expression="apache-2.0 or mit"), {}, "Apache-2.0 OR MIT"),
        (ProjectMetadata(licence_text="bsd-3-clause"), {"LICENSE": MIT}, "BSD-3-Clause"),
        (ProjectMetadata(licence_text="BSD"), {"LICENSE.txt": BSD_2}, "BSD-2-Clause"),
        (ProjectMetadata(), {"LICENCE.md": MIT}, "MIT"),
        (ProjectMetadata(), {"COPYING": MIT, "LICENSE.BSD": BSD_3}, "BSD-3-Clause AND MIT"),
        (ProjectMetadata(), {"LICENSES/one.txt": MIT}, "MIT"),
        (ProjectMetadata(), {"license.py": MIT}, UNKNOWN_LICENCE),
        (ProjectMetadata(licence_text=MIT), {}, "MIT"),
        (ProjectMetadata(licence_text="Apache 2.0"), {}, "Apache-2.0"),
        (ProjectMetadata(licence_text="BSD"), {}, UNKNOWN_LICENCE),
        (ProjectMetadata(licence_expression="No Such"), {}, UNKNOWN_LICENCE),
        (
            ProjectMetadata(classifiers=("License :: OSI Approved :: MIT License",)),
            {},
            "MIT",
        ),
        (
            ProjectMetadata(
                classifiers=(
                    "License :: OSI Approved",
                    "License :: OSI Approved :: MIT License",
                    "License :: OSI Approved :: Apache Software License",
                )
            ),
            {},
            "Apache-2.0 OR MIT",
        ),
        (
            ProjectMetadata(classifiers=("License :: OSI Approved :: BSD License",)),
            {},
            UNKNOWN_LICENCE,
        ),
        (
            ProjectMetadata(
                classifiers=(
                    "License :: OSI Approved :: GNU General Public License v3 or later (GPLv3+)",
                )
            ),
            {"COPYING": GPL_3},
            "GPL-3.0-or-later",
        ),
        (ProjectMetadata(), {}, UNKNOWN_LICENCE),
    ],
)
def test_a_project(
    tmp_path: Path, metadata: ProjectMetadata, files: dict[str, str], expected: str
) -> None:
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert licence_of(tmp_path, metadata) == expected
