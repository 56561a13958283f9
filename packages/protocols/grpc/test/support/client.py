# A client with generated code; prints what it got as JSON lines.
import json
import queue
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format

import acme_pb2
import acme_pb2_grpc
import health_pb2
import health_pb2_grpc
import reflection_pb2
import reflection_pb2_grpc


def show(name, value):
    print(json.dumps({name: value}, sort_keys=True), flush=True)


def plain(message):
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def status(error):
    trailers = {key: value if isinstance(value, str) else value.hex() for key, value in error.trailing_metadata()}
    return {"code": error.code().name, "details": error.details(), "trailers": trailers}


# Left alone, it would try again after an hour.
retries = {
    "maxAttempts": 3,
    "initialBackoff": "3600s",
    "maxBackoff": "3600s",
    "backoffMultiplier": 1,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
service_config = {"methodConfig": [{"name": [{"service": "acme.Users"}], "retryPolicy": retries}]}
options = [("grpc.service_config", json.dumps(service_config))]
port, tls = sys.argv[1], sys.argv[2:]
if tls:
    with open(tls[0], "rb") as file:
        channel = grpc.secure_channel(f"localhost:{port}", grpc.ssl_channel_credentials(file.read()), options)
else:
    channel = grpc.insecure_channel(f"127.0.0.1:{port}", options)
with channel:
    users = acme_pb2_grpc.UsersStub(channel)
    user, call = users.Get.with_call(acme_pb2.GetUser(id=7), metadata=(("x-tag", "t"),), timeout=10)
    show("unary", plain(user))
    show("initial", dict(call.initial_metadata()))
    show("server", [plain(one)["name"] for one in users.Watch(acme_pb2.GetUser(name="w"))])
    show("client", plain(users.Add(acme_pb2.User(name=name) for name in ("a", "b"))))
    show("bidi", [one.name for one in users.Chat(iter([acme_pb2.User(name="c")]))])
    words = queue.SimpleQueue()
    call = users.Chat(iter(words.get, None))
    talk = []
    for word, answers in (("talk", 2), ("quiet", 0), ("more", 2), ("bye", 1)):
        words.put(acme_pb2.User(name=word))
        talk += [next(call).name for _ in range(answers)]
    talk += [one.name for one in call]
    words.put(None)
    show("talk", [*talk, call.code().name, dict(call.trailing_metadata())])
    packed = users.Get(acme_pb2.GetUser(id=7, name="x" * 5000), compression=grpc.Compression.Gzip)
    show("gzip", packed.name)
    again = users.Get(acme_pb2.GetUser(id=503), metadata=(("x-tag", "again"),), timeout=3600)
    show("again", again.name)
    try:
        users.Get(acme_pb2.GetUser(id=503), metadata=(("x-tag", "never"),))
    except grpc.RpcError as error:
        show("never", status(error))
    try:
        users.Get(acme_pb2.GetUser(id=404))
    except grpc.RpcError as error:
        show("error", status(error))
    try:
        users.Get(acme_pb2.GetUser(id=1), timeout=0.2)
    except grpc.RpcError as error:
        show("late", error.code().name)
    show("health", plain(health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="acme.Users"))))
    reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol="acme.Users")
    [answer] = reflection.ServerReflectionInfo(iter([request]))
    pool = descriptor_pool.DescriptorPool()
    for data in reversed(answer.file_descriptor_response.file_descriptor_proto):
        pool.AddSerializedFile(data)
    show("reflected", [method.name for method in pool.FindServiceByName("acme.Users").methods])

    def described(file):
        proto = descriptor_pb2.FileDescriptorProto()
        file.CopyToProto(proto)
        proto.name = "acme.proto"
        # Generated code leaves the names in JSON out, and the order of nested types says nothing.
        for message in [*proto.message_type, *(one for outer in proto.message_type for one in outer.nested_type)]:
            message.nested_type.sort(key=lambda one: one.name)
            for field in message.field:
                field.ClearField("json_name")
        return proto

    theirs = described(acme_pb2.DESCRIPTOR)
    ours = described(pool.FindFileContainingSymbol("acme.Users"))
    show("same", theirs == ours or [str(theirs), str(ours)])
