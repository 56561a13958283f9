"""Whether a value has what is wanted."""

from __future__ import annotations

import json
import re
from typing import Any


def includes(actual: Any, wanted: Any) -> bool:
    """Whether a value has the wanted values.

    Of a mapping only the keys that are wanted count, of a list every element. A compiled regular expression wants a text in which
    it is found, and a function a value for which it is true. In place of a text, a mapping or a list wants JSON that has it.
    """
    if isinstance(actual, str) and isinstance(wanted, (dict, list)):
        try:
            actual = json.loads(actual)
        except ValueError:
            return False
    if isinstance(wanted, re.Pattern):
        return isinstance(actual, str) and wanted.search(actual) is not None
    if callable(wanted):
        return bool(wanted(actual))
    if isinstance(wanted, dict):
        return isinstance(actual, dict) and all(key in actual and includes(actual[key], value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(actual, list)
            and len(actual) == len(wanted)
            and all(includes(one, other) for one, other in zip(actual, wanted))
        )
    # For Python, True is 1; for JSON it is not.
    if isinstance(actual, bool) != isinstance(wanted, bool):
        return False
    return bool(actual == wanted)
