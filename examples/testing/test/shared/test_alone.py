"""The same as tests.mjs, with the fixture for pytest: a space for each test."""

import os
import urllib.request

import pytest

from backlot import Space


def get(url: str, headers: "dict[str, str]" = {}) -> str:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        return answer.read().decode()


@pytest.mark.parametrize("number", range(2))
def test_sees_nothing_of_others(backlot: Space, number: int) -> None:
    assert backlot.state.all() == {}
    body = f"{os.getpid()} {number}"
    own = backlot.http.mock({"id": "own", "request": {"path": "/own"}, "response": {"body": body}})
    backlot.state.set({"who": body})
    assert get(f"{backlot.http.url}/own") == body
    assert get(f"{os.environ['SHARED_HTTP_URL']}/own", backlot.headers) == body
    assert own.count == 2
    assert len(backlot.journal()) == 2
    assert backlot.state.all() == {"who": body}
