import re
import smtplib
import urllib.error
import urllib.request
import warnings
from datetime import datetime

import pytest

import backlot as module
from backlot import Backlot, BacklotError, BacklotTimeout, BacklotWarning, Space

pytestmark = pytest.mark.backlot("http", "smtp")


def get(url: str) -> str:
    with urllib.request.urlopen(url) as response:
        return str(response.read().decode())


def send(space: Space, subject: str) -> None:
    with smtplib.SMTP("127.0.0.1", space.smtp.port) as client:
        client.sendmail("shop@example.com", ["ann@example.com"], f"Subject: {subject}\r\n\r\nHello")


def test_mocks_answer_and_are_counted(backlot: Space) -> None:
    hello = backlot.http.mock(id="hello", request={"path": "/hello"}, response={"body": "Hello {{state.who}}"})
    backlot.state.set({"who": "Ann"})
    assert get(backlot.http.url + "/hello") == "Hello Ann"
    assert [call["path"] for call in hello.wait_for_calls()] == ["/hello"]
    assert hello.count == 1
    hello.replace({"request": {"path": "/hello"}, "response": {"body": "Bye"}})
    assert get(backlot.http.url + "/hello") == "Bye"
    hello.remove()
    assert backlot.http.mocks() == []
    with pytest.raises(BacklotError) as error:
        backlot.http.calls("nobody")
    assert error.value.code == "not_found"


def test_each_test_has_a_space_of_its_own(backlot: Space, backlot_server: Backlot) -> None:
    assert backlot.http.mocks() == []
    assert backlot.env["HTTP_URL"] == backlot.http.url
    with backlot_server.space(protocols=["http"]) as other:
        other.state.set({"k": "v"})
        assert backlot.state.all() == {}
        assert other.http.port != backlot.http.port
    with pytest.raises(BacklotError, match="is gone"):
        other.state.all()


def test_messages_are_captured_and_waited_for(backlot: Space) -> None:
    send(backlot, "Welcome")
    mail = backlot.smtp.wait_for_captured({"subject": re.compile("^Wel"), "to": ["ann@example.com"]})
    assert mail["subject"] == "Welcome"
    with pytest.raises(BacklotTimeout, match="nothing as wanted was captured in 0.05 s; there are 1 messages"):
        backlot.smtp.wait_for_captured({"subject": "Other"}, timeout=0.05)
    backlot.smtp.clear_captured()
    assert backlot.smtp.captured() == []
    assert backlot.verify({"smtp": {"to": "ann@*"}})["verified"]
    with pytest.raises(BacklotError, match="http keeps no messages"):
        backlot.http.captured()


def test_scenarios_faults_rows_time_and_snapshots(backlot: Space) -> None:
    backlot.http.mock(request={"path": "/x"}, response={"body": "x"})
    snapshot = backlot.snapshot()
    backlot.scenarios.create({"id": "down", "faults": {"http": {"status": 503}}})
    assert backlot.scenarios.activate("down") == ["down"]
    with pytest.raises(urllib.error.HTTPError):
        get(backlot.http.url + "/x")
    snapshot.restore()
    assert get(backlot.http.url + "/x") == "x"
    backlot.http.fault(status=500)
    with pytest.raises(urllib.error.HTTPError):
        get(backlot.http.url + "/x")
    backlot.http.clear_fault()
    rows = backlot.collection("things")
    rows.create({"id": "a", "n": 1})
    assert rows.update("a", {"n": 2})["n"] == 2
    assert rows.list() == [{"id": "a", "n": 2}]
    backlot.clock.freeze()
    before = backlot.clock.view()["now"]
    backlot.clock.advance(24 * 60 * 60)
    after = backlot.clock.view()["now"]
    assert (datetime.fromisoformat(after[:-1]) - datetime.fromisoformat(before[:-1])).days == 1


def test_it_has_what_the_client_of_node_has(backlot: Space) -> None:
    first, _ = backlot.http.create_all([{"id": "a", "request": {"path": "/a"}, "response": {"body": "a"}}, {"id": "b", "request": {"path": "/b"}}])
    assert (first.id, backlot.http.get("a")["response"]) == ("a", {"body": "a"})
    backlot.http.patch("a", {"body": "c"})
    assert backlot.http.get("a")["response"] == {"body": "c"}
    toxic = backlot.http.add_toxic(type="latency", attributes={"latency": 1})
    assert [one["name"] for one in backlot.http.toxics()] == [toxic["name"]]
    backlot.http.clear_toxics()
    assert backlot.http.toxics() == []
    assert get(backlot.http.url + "/a") == "c"
    (entry,) = backlot.journal()
    assert (backlot.find(entry["id"]) or {})["path"] == "/a"
    assert backlot.find("999999") is None
    assert (backlot.count(), backlot.count(protocol="smtp")) == (1, 0)
    backlot.clear_journal()
    assert backlot.count() == 0
    with smtplib.SMTP("127.0.0.1", backlot.smtp.port) as client:
        client.noop()
        assert len(backlot.smtp.connections()) == 1
        assert backlot.smtp.close_connections(how="reset") == 1
        client.close()
    backlot.state.set({"x.a": "1", "x.b": "2", "y": "3"})
    assert backlot.state.delete_prefix("x.") == 2
    rows = backlot.collection("things")
    rows.create({"id": "a", "n": 1})
    assert (rows.has("a"), rows.has("b")) == (True, False)
    assert rows.replace("a", {"id": "a", "n": 3})["n"] == 3
    backlot.scenarios.create({"id": "down", "faults": {"http": {"status": 503}}})
    backlot.scenarios.replace("down", {"id": "down", "faults": {"http": {"status": 500}}})
    assert backlot.scenarios.get("down")["faults"]["http"]["status"] == 500
    backlot.scenarios.activate("down")
    assert backlot.scenarios.active() == ["down"]
    backlot.scenarios.remove("down")
    assert backlot.scenarios.list() == []
    backlot.clock.freeze()
    backlot.clock.set("2030-01-01T00:00:00Z")
    assert backlot.clock.view()["now"].startswith("2030-01-01T00:00:00")
    assert backlot.streams.list() == []
    with pytest.raises(BacklotError, match="no open http stream"):
        backlot.streams.close("http", mock_id="a")
    backlot.webhooks.clear()
    assert backlot.webhooks.history() == []


def test_what_is_wrong_is_said(backlot: Space) -> None:
    backlot.http.mock(id="order", request={"path": "/orders"}, response={"status": 201})
    with pytest.raises(urllib.error.HTTPError):
        get(backlot.http.url + "/order")
    with pytest.raises(BacklotTimeout, match=r'(?s)"order" was called 0 times.*GET /order -> 404.*not "order"'):
        backlot.http.wait_for_calls("order", timeout=0.05)
    with pytest.raises(BacklotError) as refused:
        backlot.http.mock(request={"pat": "/x"})
    assert (refused.value.code, refused.value.details[0]["path"]) == ("invalid", "/request/pat")
    with pytest.raises(AttributeError, match="has no ftp"):
        backlot.ftp
    with pytest.raises(BacklotError, match="no Backlot answers at http://127.0.0.1:1"):
        module.connect("http://127.0.0.1:1")


def test_what_is_taken_all_the_same_is_warned_of(backlot: Space) -> None:
    request = {"method": "GET", "path": "/greeting"}
    answer = {"headers": {"Content-Type": "text/plain"}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        backlot.http.mock(id="kind", request=request, response={**answer, "body": "Grüße, 100%"})
    with pytest.warns(BacklotWarning, match='mock "short" answers.* "Grüße, 100%"') as told:
        backlot.http.mock(id="short", request=request, response={**answer, "body": "Tag"})
    assert [warning.filename for warning in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error", BacklotWarning)
        with pytest.raises(BacklotWarning):
            backlot.http.patch("kind", {"response": {**answer, "body": "Hi"}})
    assert [mock["id"] for mock in backlot.http.mocks()] == ["kind", "short"]


@pytest.mark.parametrize(
    ("actual", "wanted", "fits"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        ('{"a": [1]}', {"a": [1]}, True),
        ("no json", {"a": 1}, False),
        ([1, 2], [1], False),
        (1, True, False),
        ("abc", re.compile("b"), True),
        (3, lambda value: value > 2, True),
    ],
)
def test_includes(actual: object, wanted: object, fits: bool) -> None:
    assert module.includes(actual, wanted) is fits
