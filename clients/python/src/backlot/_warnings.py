"""What a server warns of, as warnings of Python."""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.parse
import warnings
from typing import List, Optional

from ._errors import BacklotWarning

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn_of(header: Optional[str]) -> None:
    """Warns of each text of a header ``Backlot-Warning``, at the line that has called the package."""
    texts = read_warnings(header)
    if not texts:
        return
    # Tests are told of their own line, and filters go by their module.
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_OWN):
        frame = frame.f_back
        level += 1
    for text in texts:
        warnings.warn(text, BacklotWarning, stacklevel=level)


def read_warnings(header: Optional[str]) -> List[str]:
    """The texts of a header ``Backlot-Warning``: each is in quotation marks."""
    return [_read(quoted) for quoted in _QUOTED.findall(header or "")]


def _read(quoted: str) -> str:
    try:
        return urllib.parse.unquote(str(json.loads(quoted)), errors="strict")
    except ValueError:
        # It is given as it came where it was written in another way.
        return quoted
