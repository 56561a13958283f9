"""A Backlot that runs elsewhere."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import BacklotError, BacklotTimeout
from ._match import includes
from ._shared import Clock, Collection, Scenarios, Snapshot, State, Streams, Webhooks, duration, none_where_missing
from ._transport import Transport, part

Json = Dict[str, Any]
#: Entries of the journal and captured messages, as the server shows them.
Entries = List[Json]
#: More entries than a journal keeps unless its limits were raised.
MOST = 1_000_000
MAX_LISTED = 10


class Calls(List[Json]):
    """The journal entries of the calls of a mock, oldest first, as far as the journal still holds them."""

    #: How often the mock was called; there may be more calls than entries.
    times: int = 0


class Mock:
    """A mock that a test has made."""

    def __init__(self, protocol: "Protocol", id: str) -> None:
        self._protocol = protocol
        self.id = id

    @property
    def count(self) -> int:
        """How often it was called since the last reset."""
        return self.calls().times

    def calls(self) -> Calls:
        """The journal entries of its calls."""
        return self._protocol.calls(self.id)

    def wait_for_calls(self, count: int = 1, timeout: float = 2.0) -> Calls:
        """Waits until it was called so many times; see :meth:`Protocol.wait_for_calls`."""
        return self._protocol.wait_for_calls(self.id, count, timeout)

    def replace(self, mock: Mapping[str, Any]) -> Json:
        """Replaces it by another mock, under the same id."""
        return self._protocol.replace(self.id, mock)

    def remove(self) -> None:
        """Removes it."""
        self._protocol.remove(self.id)

    def __repr__(self) -> str:
        return f"<mock {self.id!r} of {self._protocol.kind}>"


class Protocol:
    """One protocol of a Backlot, such as ``http``."""

    def __init__(self, transport: Transport, kind: str, place: Mapping[str, Any]) -> None:
        self._transport = transport
        self._place = place
        self._messages_at: Optional[str] = None
        #: The short name of the protocol.
        self.kind = kind
        self._mocks = "/mocks/" + part(kind)

    @property
    def url(self) -> str:
        """The url by which clients connect. Raises BacklotError ``not_enabled`` when it does not listen."""
        return str(self._listening("url"))

    @property
    def port(self) -> int:
        """The port on which it listens. Raises BacklotError ``not_enabled`` when it does not listen."""
        return int(self._listening("port"))

    def _listening(self, name: str) -> Any:
        if name not in self._place:
            raise BacklotError("not_enabled", f"{self.kind} does not listen there")
        return self._place[name]

    def mock(self, mock: Optional[Mapping[str, Any]] = None, **fields: Any) -> Mock:
        """Creates a mock: ``http.mock({"request": {"path": "/x"}, ...})``, or the same as keyword arguments.

        Raises BacklotError ``invalid`` with a problem per field, ``conflict`` when the id exists.
        """
        made = self._transport.call("POST", self._mocks, {**(mock or {}), **fields})
        return Mock(self, made["id"])

    def mocks(self) -> List[Json]:
        """All mocks, those of the configuration first."""
        return list(self._transport.call("GET", self._mocks))

    def get(self, id: str) -> Json:
        """A mock as it was given. Raises BacklotError ``not_found``."""
        mock: Json = self._transport.call("GET", f"{self._mocks}/{part(id)}")
        return mock

    def create_all(self, mocks: Sequence[Mapping[str, Any]]) -> List[Mock]:
        """Creates several mocks: all or none of them."""
        made = self._transport.call("POST", self._mocks, [dict(mock) for mock in mocks])
        return [Mock(self, one["id"]) for one in made]

    def patch(self, id: str, fields: Mapping[str, Any]) -> Json:
        """Puts fields over those of a mock; not all protocols have it."""
        made: Json = self._transport.call("PATCH", f"{self._mocks}/{part(id)}", dict(fields))
        return made

    def replace(self, id: str, mock: Mapping[str, Any]) -> Json:
        """Replaces a mock, which keeps its place."""
        made: Json = self._transport.call("PUT", f"{self._mocks}/{part(id)}", dict(mock))
        return made

    def remove(self, id: str) -> None:
        """Removes a mock."""
        self._transport.call("DELETE", f"{self._mocks}/{part(id)}")

    def calls(self, id: str) -> Calls:
        """The calls of a mock. Raises BacklotError ``not_found`` when there is none."""
        return _calls(self._transport.call("GET", self._calls_at(id)))

    def wait_for_calls(self, id: str, count: int = 1, timeout: float = 2.0) -> Calls:
        """Waits until a mock was called ``count`` times since the last reset, at most ``timeout`` seconds.

        Raises BacklotTimeout, with the messages that met no mock and why; BacklotError ``cancelled`` by a reset.
        """
        # A mock that is not there would be waited for, since it may still be made.
        self.calls(id)
        wanted = {"count": count, "timeout": duration(timeout)}
        try:
            return _calls(self._transport.call("POST", self._calls_at(id) + "/wait", wanted, wait=timeout))
        except BacklotTimeout as error:
            text = f'{self.kind}: "{id}" was called {self.calls(id).times} times in {timeout} s, want {count}'
            raise BacklotTimeout("timeout", text + self._describe_unmatched(), 408) from error

    def _calls_at(self, id: str) -> str:
        return f"/calls/{part(self.kind)}/{part(id)}"

    def journal(self, wanted: Any = None, unmatched: Optional[bool] = None, limit: int = MOST) -> Entries:
        """The journal entries of this protocol, oldest first: all, or those that have the wanted values."""
        query = {"protocol": self.kind, "unmatched": unmatched, "limit": limit}
        return _fitting(self._transport.call("GET", "/logs", query=query), wanted)

    def unmatched(self) -> Entries:
        """The journal entries of messages that met no mock, each with ``near_misses``."""
        return self.journal(unmatched=True)

    def captured(self, wanted: Any = None) -> Entries:
        """The captured messages, oldest first: all, or those that have the wanted values."""
        return _fitting(self._transport.call("GET", self._messages()), wanted)

    def wait_for_captured(self, wanted: Any = None, timeout: float = 2.0) -> Json:
        """Waits for a captured message that has the wanted values; one that is there already counts.

        Raises BacklotTimeout when none comes in ``timeout`` seconds.
        """
        end = time.monotonic() + timeout
        while True:
            there = self.captured()
            for message in there:
                if wanted is None or includes(message, wanted):
                    return message
            left = max(0.0, end - time.monotonic())
            body = {"count": len(there) + 1, "timeout": duration(left)}
            try:
                self._transport.call("POST", self._messages() + "/wait", body, wait=left)
            except BacklotTimeout as error:
                text = f"{self.kind}: nothing as wanted was captured in {timeout} s; there are {len(there)} messages"
                raise BacklotTimeout("timeout", text, 408) from error

    def clear_captured(self) -> None:
        """Drops the captured messages."""
        self._transport.call("DELETE", self._messages())

    def fault(self, fault: Optional[Mapping[str, Any]] = None, **fields: Any) -> Json:
        """Sets the fault of the protocol, in place of an earlier one."""
        made: Json = self._transport.call("POST", "/fault/" + part(self.kind), {**(fault or {}), **fields})
        return made

    def clear_fault(self) -> None:
        """Clears the fault."""
        self._transport.call("DELETE", "/fault/" + part(self.kind))

    def toxics(self) -> Entries:
        """What a bad network does to its connections."""
        toxics: Entries = self._transport.call("GET", "/toxics/" + part(self.kind))
        return toxics

    def add_toxic(self, toxic: Optional[Mapping[str, Any]] = None, **fields: Any) -> Json:
        """Adds a toxic: ``http.add_toxic(type="latency", attributes={"latency": 300})``."""
        made: Json = self._transport.call("POST", "/toxics/" + part(self.kind), {**(toxic or {}), **fields})
        return made

    def clear_toxics(self) -> None:
        """Removes its toxics."""
        self._transport.call("DELETE", "/toxics/" + part(self.kind))

    def connections(self) -> Entries:
        """Its open connections, the oldest first."""
        connections: Entries = self._transport.call("GET", "/connections/" + part(self.kind))
        return connections

    def close_connections(self, how: Optional[str] = None, **filter: str) -> int:
        """Closes connections: those that fit (``id``, ``remote``, ``user``, ``client``), or all; says how many.

        ``how`` is ``end`` when absent; ``reset`` is a TCP RST, and ``goodbye`` the last words of the protocol.
        """
        given = {**filter, **({} if how is None else {"how": how})}
        return int(self._transport.call("POST", f"/connections/{part(self.kind)}/close", given)["closed"])

    def push(self, mock_id: str, data: Any) -> int:
        """Sends data into the open streams of a mock, and says how many there were."""
        target = {"protocol": self.kind, "mock_id": mock_id, "data": data}
        return int(self._transport.call("POST", "/streams/push", target)["delivered"])

    def _messages(self) -> str:
        if self._messages_at is None:
            captures = self._transport.call("GET", "/schema/" + part(self.kind)).get("captures")
            if captures is None:
                raise BacklotError("invalid", f"{self.kind} keeps no messages")
            self._messages_at = captures["path"][len("/api") :]
        return self._messages_at

    def _describe_unmatched(self) -> str:
        lines = []
        for entry in self.journal(unmatched=True, limit=MAX_LISTED):
            status = f" -> {entry['status']}" if "status" in entry else ""
            lines.append(f"  {entry['protocol']} {entry['method']} {entry['path']}{status}")
            lines += [f"    not \"{miss['mock_id']}\": {miss['reason']}" for miss in entry.get("near_misses", [])[:3]]
        return "\n\nwhat met no mock:\n" + "\n".join(lines) if lines else ""


class Backlot:
    """A server, or a space of one: each protocol under the name of its kind, such as ``backlot.http``."""

    def __init__(self, transport: Transport, places: Mapping[str, Mapping[str, Any]]) -> None:
        self._transport = transport
        self._protocols = {kind: Protocol(transport, kind, place) for kind, place in places.items()}
        self.state = State(transport)
        self.scenarios = Scenarios(transport)
        self.clock = Clock(transport)
        self.streams = Streams(transport)
        self.webhooks = Webhooks(transport)

    def __getattr__(self, kind: str) -> Protocol:
        if kind.startswith("_"):
            raise AttributeError(kind)
        return self.protocol(kind)

    def protocol(self, kind: str) -> Protocol:
        """A protocol by the name of its kind. Raises AttributeError when the server has none that is called so."""
        if kind not in self._protocols:
            there = ", ".join(self._protocols)
            raise AttributeError(f"the Backlot at {self._transport.url} has no {kind}; it has {there}")
        return self._protocols[kind]

    def collection(self, name: str) -> Collection:
        """The rows of a collection, which mocks of all protocols read and change."""
        return Collection(self._transport, name)

    def journal(self, wanted: Any = None, unmatched: Optional[bool] = None, limit: int = MOST) -> Entries:
        """The journal entries of all protocols, oldest first: all, or those that have the wanted values."""
        query = {"unmatched": unmatched, "limit": limit}
        return _fitting(self._transport.call("GET", "/logs", query=query), wanted)

    def find(self, id: str) -> Optional[Json]:
        """The journal entry with this id; None when there is none, or it was dropped."""
        entry: Optional[Json] = none_where_missing(lambda: self._transport.call("GET", "/logs/" + part(id)))
        return entry

    def count(self, **filter: Any) -> int:
        """How many entries the journal holds: all, or those that fit, as ``count(protocol="http", unmatched=True)``."""
        return int(self._transport.call("GET", "/logs/count", query=filter)["count"])

    def clear_journal(self) -> None:
        """Drops the journal."""
        self._transport.call("DELETE", "/logs")

    def verify(self, *expect: Mapping[str, Any], within: Optional[float] = None, **options: Any) -> Json:
        """Whether messages were received over all protocols, or are within so many seconds.

        ``verify({"http": {"mock": "order"}, "times": 1}, {"smtp": {"to": "ann@*"}})``; ``verified`` of the answer says it.
        """
        waits = {} if within is None else {"within": duration(within)}
        verdict: Json = self._transport.call("POST", "/verify", {"expect": list(expect), **waits, **options}, wait=within or 0.0)
        return verdict

    def snapshot(self, name: Optional[str] = None) -> Snapshot:
        """Takes a snapshot."""
        made = self._transport.call("POST", "/snapshots", {} if name is None else {"name": name})
        return Snapshot(self._transport, made["id"])

    def reset(self) -> None:
        """Puts everything back to what the configuration says."""
        self._transport.call("POST", "/reset")

    def call(self, method: str, path: str, body: Any = None, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Asks the management API for whatever else it has; ``path`` is below ``/api``, such as ``/toxics/http``."""
        return self._transport.call(method, path, body, query)

    def space(
        self,
        protocols: Optional[Sequence[str]] = None,
        id: Optional[str] = None,
        ttl: Optional[str] = None,
        seed: Optional[int] = None,
    ) -> "Space":
        """Makes a space: a world of its own, which other tests and processes neither see nor disturb.

        ``protocols`` are those that listen on ports of their own; others are reached by the shared ports.
        """
        given = {"protocols": None if protocols is None else list(protocols), "id": id, "ttl": ttl, "seed": seed}
        made = self._transport.call("POST", "/spaces", {name: value for name, value in given.items() if value is not None})
        return Space(self._transport, made)


class Space(Backlot):
    """A space of a server. As a context manager it ends with the block."""

    def __init__(self, server: Transport, made: Mapping[str, Any]) -> None:
        places: Dict[str, Mapping[str, Any]] = {**_places(server), **made["protocols"]}
        super().__init__(server.below("/spaces/" + part(made["id"])), places)
        self._server = server
        #: Clients name it on shared ports, as the header ``Backlot-Space`` or as the name that logs in.
        self.id: str = made["id"]
        #: Environment variables that tell programs where its listeners are, such as ``REDIS_URL``.
        self.env: Dict[str, str] = dict(made["env"])
        #: The header by which requests name it.
        self.headers: Dict[str, str] = {"Backlot-Space": self.id}

    def end(self) -> None:
        """Ends it. A second call does nothing more."""
        try:
            self._server.call("DELETE", "/spaces/" + part(self.id))
        except BacklotError as error:
            # It may have ended by itself.
            if error.code != "not_found":
                raise

    def __enter__(self) -> "Space":
        return self

    def __exit__(self, *_error: Union[object, None]) -> None:
        self.end()


def connect(url: Optional[str] = None, token: Optional[str] = None) -> Backlot:
    """Connects to a server that runs.

    ``url`` is that of its management API: ``BACKLOT_URL`` when absent, else ``http://localhost:9091``; ``token`` is
    ``BACKLOT_API_TOKEN`` when absent.

    Raises BacklotError ``not_enabled`` when no server answers.
    """
    transport = Transport(url, token)
    return Backlot(transport, _places(transport))


def _places(transport: Transport) -> Dict[str, Mapping[str, Any]]:
    return {
        one["protocol"]: {name: one[name] for name in ("url", "port") if one["state"] == "running" and name in one}
        for one in transport.call("GET", "/protocols")
    }


def _calls(answer: Mapping[str, Any]) -> Calls:
    calls = Calls(answer["calls"])
    calls.times = answer["count"]
    return calls


def _fitting(entries: Entries, wanted: Any) -> Entries:
    return entries if wanted is None else [entry for entry in entries if includes(entry, wanted)]

