"""Views: what a program that knows a format reads out of a file; one module a format.

A module has `name`, `claims`, `applies` and `views`, as `Format` says; it is entered in `FORMATS`.
Formats nest: what one yields is held against all of them again, to the depth that the bounds allow.
"""

from featuredel.leaks.views import (
    ar,
    base64,
    carve,
    escapes,
    git_pack,
    html,
    java_class,
    json,
    marshal,
    mypy_cache,
    pickle,
    rust_metadata,
    sqlite,
    streams,
    symbols,
    tar,
    utf16,
)
from featuredel.leaks.views import zip as zip_archives
from featuredel.leaks.views.view import Content, Damaged, Format, Unseen, View

FORMATS: tuple[Format, ...] = (
    zip_archives,
    streams,
    tar,
    ar,
    git_pack,
    sqlite,
    marshal,
    pickle,
    mypy_cache,
    java_class,
    rust_metadata,
    carve,
    symbols,
    utf16,
    json,
    escapes,
    html,
    base64,
)

__all__ = ["FORMATS", "Content", "Damaged", "Format", "Unseen", "View"]
