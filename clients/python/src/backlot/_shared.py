"""What all protocols of a Backlot share."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ._errors import BacklotError
from ._transport import Transport, part

Json = Dict[str, Any]
Entries = List[Json]


class State:
    """The keys that mocks of all protocols share."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> Dict[str, str]:
        """All keys that have not expired."""
        return dict(self._transport.call("GET", "/state"))

    def set(self, values: Mapping[str, str], ttl: Optional[float] = None) -> None:
        """Sets keys, which expire after ``ttl`` seconds where it is given."""
        self._transport.call("POST", "/state", dict(values), {"ttl": None if ttl is None else duration(ttl)})

    def delete(self, key: str) -> None:
        """Deletes a key; does nothing when it is not set."""
        self._transport.call("DELETE", "/state/" + part(key))

    def delete_prefix(self, prefix: str) -> int:
        """Deletes the keys that begin so, and says how many."""
        return int(self._transport.call("DELETE", "/state", query={"prefix": prefix})["deleted"])


class Collection:
    """The rows of a collection."""

    def __init__(self, transport: Transport, name: str) -> None:
        self._transport = transport
        self._at = "/collections/" + part(name)

    def list(self) -> Entries:
        """All rows in the order of creation."""
        rows: Entries = self._transport.call("GET", self._at)
        return rows

    def get(self, key: str) -> Json:
        """One row. Raises BacklotError ``not_found``."""
        row: Json = self._transport.call("GET", self._row(key))
        return row

    def has(self, key: str) -> bool:
        """Whether there is such a row."""
        return none_where_missing(lambda: self.get(key)) is not None

    def create(self, row: Mapping[str, Any]) -> Json:
        """Adds a row."""
        made: Json = self._transport.call("POST", self._at, dict(row))
        return made

    def replace(self, key: str, row: Mapping[str, Any]) -> Json:
        """Puts a row in place of another."""
        made: Json = self._transport.call("PUT", self._row(key), dict(row))
        return made

    def update(self, key: str, fields: Mapping[str, Any]) -> Json:
        """Puts fields over those of a row."""
        row: Json = self._transport.call("PATCH", self._row(key), dict(fields))
        return row

    def remove(self, key: str) -> None:
        """Removes a row."""
        self._transport.call("DELETE", self._row(key))

    def set_all(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Puts these rows in place of all."""
        self._transport.call("PUT", self._at, [dict(row) for row in rows])

    def _row(self, key: str) -> str:
        return f"{self._at}/{part(key)}"


class Scenarios:
    """Named sets of changes to mocks and of faults."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Entries:
        """All scenarios."""
        scenarios: Entries = self._transport.call("GET", "/scenarios")
        return scenarios

    def get(self, id: str) -> Json:
        """One scenario. Raises BacklotError ``not_found``."""
        scenario: Json = self._transport.call("GET", "/scenarios/" + part(id))
        return scenario

    def replace(self, id: str, scenario: Mapping[str, Any]) -> Json:
        """Replaces a scenario."""
        made: Json = self._transport.call("PUT", "/scenarios/" + part(id), dict(scenario))
        return made

    def remove(self, id: str) -> None:
        """Removes a scenario."""
        self._transport.call("DELETE", "/scenarios/" + part(id))

    def active(self) -> List[str]:
        """The ids of those that are active."""
        return list(self._transport.call("GET", "/scenarios/active")["active"])

    def create(self, scenario: Mapping[str, Any]) -> Json:
        """Creates a scenario, which is not active."""
        made: Json = self._transport.call("POST", "/scenarios", dict(scenario))
        return made

    def activate(self, id: str) -> List[str]:
        """Activates a scenario, and says which are active."""
        return list(self._transport.call("POST", f"/scenarios/{part(id)}/activate")["active"])

    def deactivate(self, id: str) -> List[str]:
        """Deactivates a scenario, and says which are active."""
        return list(self._transport.call("DELETE", f"/scenarios/{part(id)}/activate")["active"])


class Clock:
    """The virtual time of a server."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def view(self) -> Json:
        """The time, and whether it is frozen."""
        clock: Json = self._transport.call("GET", "/clock")
        return clock

    def advance(self, seconds: float) -> None:
        """Moves time forward; what becomes due is done before it returns."""
        self._transport.call("POST", "/clock", {"advance": duration(seconds)})

    def set(self, now: str) -> None:
        """Jumps to a time, as in ``2030-01-01T00:00:00Z``."""
        self._transport.call("POST", "/clock", {"now": now})

    def freeze(self, frozen: bool = True) -> None:
        """Stops the time, or lets it go on."""
        self._transport.call("POST", "/clock", {"freeze": frozen})


class Snapshot:
    """How everything was at a time."""

    def __init__(self, transport: Transport, id: str) -> None:
        self._transport = transport
        self.id = id

    def restore(self) -> None:
        """Puts everything back to what it was; the journal and the time stay as they are."""
        self._transport.call("POST", f"/snapshots/{part(self.id)}/restore")

    def remove(self) -> None:
        """Deletes the snapshot; a server holds at most 100."""
        self._transport.call("DELETE", "/snapshots/" + part(self.id))


class Streams:
    """The open streams of all protocols."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> Entries:
        """All that are open."""
        streams: Entries = self._transport.call("GET", "/streams")
        return streams

    def close(
        self,
        protocol: str,
        mock_id: Optional[str] = None,
        conn_id: Optional[str] = None,
        error: Optional[str] = None,
    ) -> int:
        """Ends those of a mock, or one by its ``conn_id``, and says how many."""
        given = {"protocol": protocol, "mock_id": mock_id, "conn_id": conn_id, "error": error}
        body = {name: value for name, value in given.items() if value is not None}
        return int(self._transport.call("POST", "/streams/close", body)["closed"])


class Webhooks:
    """The attempts of a server to send webhooks."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def history(self) -> Entries:
        """All attempts, oldest first."""
        attempts: Entries = self._transport.call("GET", "/webhooks")
        return attempts

    def send(self, webhook: Mapping[str, Any]) -> Json:
        """Sends one now."""
        attempt: Json = self._transport.call("POST", "/webhooks/send", dict(webhook))
        return attempt

    def clear(self) -> None:
        """Forgets the attempts."""
        self._transport.call("DELETE", "/webhooks")


def duration(seconds: float) -> str:
    """A time as the management API takes it."""
    return f"{max(0, round(seconds * 1000))}ms"


def none_where_missing(ask: Callable[[], Any]) -> Any:
    """What ``ask`` answers; None for what is not there."""
    try:
        return ask()
    except BacklotError as error:
        if error.code != "not_found":
            raise
        return None
