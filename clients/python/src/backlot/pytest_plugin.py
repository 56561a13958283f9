"""Fixtures for pytest: a space for each test, so that tests side by side do not see each other."""

from __future__ import annotations

from typing import Iterator, List, Optional

import pytest

from . import Backlot, Space, connect


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("backlot")
    group.addoption("--backlot-url", help="the url of the management API of a server that runs (default: BACKLOT_URL)")
    parser.addini(
        "backlot_protocols",
        type="args",
        help="the protocols that have ports of their own in the space of each test (default: http)",
        default=["http"],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "backlot(*protocols): the protocols that have ports of their own in the space of this test",
    )


@pytest.fixture(scope="session")
def backlot_server(request: pytest.FixtureRequest) -> Backlot:
    """The server itself, which all tests share."""
    url: Optional[str] = request.config.getoption("--backlot-url")
    return connect(url)


@pytest.fixture
def backlot(request: pytest.FixtureRequest, backlot_server: Backlot) -> Iterator[Space]:
    """A space of the server for one test, with what the configuration says and nothing of other tests.

    When the test fails, what met no mock in the space is part of its report.
    """
    marker = request.node.get_closest_marker("backlot")
    protocols: List[str] = list(marker.args) if marker else request.config.getini("backlot_protocols")
    with backlot_server.space(protocols=protocols) as space:
        request.node.backlot_space = space
        yield space


@pytest.hookimpl(hookwrapper=True)  # type: ignore[misc]
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    space: Optional[Space] = getattr(item, "backlot_space", None)
    if report.when != "call" or not report.failed or space is None:
        return
    lines = []
    for entry in space.journal(unmatched=True, limit=10):
        lines.append(f"{entry['protocol']} {entry['method']} {entry['path']}")
        lines += [f"  not \"{miss['mock_id']}\": {miss['reason']}" for miss in entry.get("near_misses", [])[:3]]
    if lines:
        report.sections.append(("what met no mock of Backlot", "\n".join(lines)))
