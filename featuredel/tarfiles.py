"""The tarfile module with extraction filters.

Python 3.11 has them from 3.11.4 on only, and Debian 12 ships 3.11.2; so below 3.12 it is the
backport of 3.12's.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 12):
    import tarfile
else:
    from backports import tarfile

__all__ = ["tarfile"]
