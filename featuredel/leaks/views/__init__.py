"""Views: what a program that knows a format reads out of a file; one module a format.

A module has `name`, `claims`, `applies` and `views`, as `Format` says; it is entered in `FORMATS`.
Formats nest: what one yields is held against all of them again, to the depth that the bounds allow.
"""

from featuredel.leaks.views import git_pack, streams
from featuredel.leaks.views import zip as zip_archives
from featuredel.leaks.views.view import Content, Damaged, Format, Unseen, View

FORMATS: tuple[Format, ...] = (
    zip_archives,
    streams,
    git_pack,
)

__all__ = ["FORMATS", "Content", "Damaged", "Format", "Unseen", "View"]
