"""A client of Backlot, the mock server of many protocols.

It needs a server that runs (``backlot start``) and nothing beside the standard library.
"""

from ._client import Backlot, Calls, Mock, Protocol, Space, connect
from ._errors import BacklotError, BacklotTimeout, BacklotWarning
from ._match import includes
from ._shared import Clock, Collection, Scenarios, Snapshot, State, Streams, Webhooks

__all__ = [
    "Backlot",
    "BacklotError",
    "BacklotTimeout",
    "BacklotWarning",
    "Calls",
    "Clock",
    "Collection",
    "Mock",
    "Protocol",
    "Scenarios",
    "Snapshot",
    "Space",
    "State",
    "Streams",
    "Webhooks",
    "connect",
    "includes",
]
