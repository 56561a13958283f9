"""Works through stomp.py against a server: client.py PORT VERSION."""

import json
import sys
import threading
import time

import stomp

port, version = int(sys.argv[1]), sys.argv[2]
KINDS = {"1.0": stomp.Connection10, "1.1": stomp.Connection11, "1.2": stomp.Connection12}


class Listener(stomp.ConnectionListener):
    def __init__(self):
        self.changed = threading.Condition()
        self.messages, self.receipts, self.errors, self.beats = [], [], [], 0

    def note(self, into, value):
        with self.changed:
            into.append(value)
            self.changed.notify_all()

    def on_message(self, frame):
        self.note(self.messages, frame)

    def on_receipt(self, frame):
        self.note(self.receipts, frame.headers["receipt-id"])

    def on_error(self, frame):
        self.note(self.errors, frame)

    def on_heartbeat(self):
        self.beats += 1

    def wait(self, condition):
        with self.changed:
            assert self.changed.wait_for(condition, 10), "nothing came within 10 s"


def connect(**options):
    connection = KINDS[version]([("127.0.0.1", port)], **options)
    listener = Listener()
    connection.set_listener("", listener)
    connection.connect(wait=True)
    return connection, listener


beats = {} if version == "1.0" else {"heartbeats": (200, 200)}
connection, listener = connect(**beats)
connection.subscribe("/topic/answers", id="answers", ack="auto")
connection.subscribe("/queue/work", id="work", ack="client-individual" if version != "1.0" else "client")


def taken(subscription):
    return [frame for frame in listener.messages if frame.headers["subscription"] == subscription]


connection.send("/queue/work", "one", receipt="r1")
connection.send("/queue/work", "two", content_type="text/plain", headers={"x-odd": "a b"})
connection.send("/queue/ask", "ping")
listener.wait(lambda: len(taken("work")) == 2 and len(taken("answers")) == 1)
one, two = taken("work")


def settle(method, frame, **more):
    if version == "1.2":
        method(frame.headers["ack"], **more)
    elif version == "1.1":
        method(frame.headers["message-id"], "work", **more)
    else:
        method(frame.headers["message-id"], **more)


settle(connection.ack, one)
if version == "1.0":
    settle(connection.ack, two)
    connection.send("/queue/work", "two again")
else:
    settle(connection.nack, two)
listener.wait(lambda: len(taken("work")) == 3)
again = taken("work")[2]
transaction = connection.begin()
settle(connection.ack, again, transaction=transaction)
connection.send("/queue/later", "committed", transaction=transaction)
connection.commit(transaction)
aborted = connection.begin()
connection.send("/queue/work", "never", transaction=aborted)
connection.abort(aborted)
connection.unsubscribe(id="work")
connection.send("/topic/nobody", "", receipt="r2")
listener.wait(lambda: {"r1", "r2"} <= set(listener.receipts))
if version != "1.0":
    end = time.time() + 5
    while listener.beats < 3 and time.time() < end:
        time.sleep(0.02)
connection.disconnect(receipt="bye")

bad, errors = connect()
bad.transport.transmit(stomp.utils.Frame("SEND", {}, "x"))
errors.wait(lambda: errors.errors)

texts = [frame.body for frame in taken("work")]
if version != "1.0":
    assert again.headers["redelivered"] == "true"
    texts[2] = texts[2] + " again"
print(
    json.dumps(
        {
            "queue": texts,
            "answers": [frame.body for frame in taken("answers")],
            "heartbeats": listener.beats >= 3,
            "receipts": {"r1", "r2"} <= set(listener.receipts),
            "error": errors.errors[0].headers["message"],
        }
    )
)
