"""Asks the management API of a server."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Mapping, Optional

from ._errors import CODES, BacklotError, BacklotTimeout
from ._warnings import warn_of

DEFAULT_URL = "http://localhost:9091"
#: Longer than a server takes for anything but a wait, in seconds.
PATIENCE = 60.0


def part(text: str) -> str:
    """A part of a path."""
    return urllib.parse.quote(text, safe="")


class Transport:
    """Sends requests to a management API, or below the path of a space."""

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, base: str = "/api") -> None:
        self.url = (url or os.environ.get("BACKLOT_URL") or DEFAULT_URL).rstrip("/")
        self.token = token if token is not None else os.environ.get("BACKLOT_API_TOKEN")
        self.base = base
        # A proxy of the environment is for the code under test, and not for its tests.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def below(self, path: str) -> "Transport":
        """The same server, below a path."""
        return Transport(self.url, self.token, self.base + path)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        wait: float = 0.0,
    ) -> Any:
        """Sends a request, and reads its JSON.

        ``wait`` is how long the server waits before it answers, in seconds.

        Raises BacklotError, ``not_enabled`` when no server answers, else with the server's own words.
        """
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        target = self.base + path + ("?" + urllib.parse.urlencode(given) if given else "")
        headers: Dict[str, str] = {"Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.url + target, data=data, headers=headers, method=method)
        what = f"{method} {self.base}{path}"
        try:
            with self._opener.open(request, timeout=PATIENCE + wait) as response:
                text = response.read().decode()
                warning = response.headers.get("Backlot-Warning")
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error.code, error.read().decode(errors="replace"), what) from None
        except OSError as error:
            raise BacklotError(
                "not_enabled",
                f'no Backlot answers at {self.url}: start one ("backlot start"), or name it by BACKLOT_URL ({error})',
            ) from error
        warn_of(warning)
        return json.loads(text) if text else None


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refusal(status: int, text: str, what: str) -> BacklotError:
    try:
        given = json.loads(text)
    except ValueError:
        given = {}
    if not isinstance(given, dict):
        given = {}
    message = f"{what}: {given.get('error', text[:1000])}"
    if status == 408:
        return BacklotTimeout("timeout", message, status)
    # Whatever clears counts and messages ends waits with a conflict.
    code = "cancelled" if status == 409 and what.endswith("/wait") else CODES.get(status, "internal")
    return BacklotError(code, message, status, given.get("details"))
