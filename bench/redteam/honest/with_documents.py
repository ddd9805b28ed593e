"""A note, a changelog entry, and documentation."""

from bench.redteam.view import View


def reshape(view: View) -> None:
    view.write("NOTES.md", "# What I did\n\nAll of it.\n")
    view.append("* the feature is there", "CHANGELOG.md")
    view.append("The feature\n===========\n\nIt is there.", "docs/feature.rst")
    view.write(f"{view.package}README.txt", "Read the sources.\n")
