"""What the official client for Python does; prints `done` when all of it was as it should be."""

import sys

from kubernetes import client, watch
from kubernetes.stream import stream

settings = client.Configuration()
settings.host = sys.argv[1]
settings.api_key = {"authorization": "Bearer backlot"}
core = client.CoreV1Api(client.ApiClient(settings))

core.create_namespaced_config_map("default", {"metadata": {"name": "a", "labels": {"on": "yes"}}, "data": {"k": "1"}})
found = core.list_namespaced_config_map("default", label_selector="on=yes")
assert [one.metadata.name for one in found.items] == ["a"], found
core.patch_namespaced_config_map("a", "default", {"data": {"l": "2"}})
assert core.read_namespaced_config_map("a", "default").data == {"k": "1", "l": "2"}
core.delete_namespaced_config_map("a", "default")
seen = []
for event in watch.Watch().stream(
    core.list_namespaced_config_map, "default", resource_version=found.metadata.resource_version
):
    seen.append((event["type"], event["object"].metadata.name))
    if event["type"] == "DELETED":
        break
assert seen == [("MODIFIED", "a"), ("DELETED", "a")], seen
try:
    core.read_namespaced_config_map("a", "default")
    raise SystemExit("it is still there")
except client.ApiException as error:
    assert error.status == 404 and "not found" in error.body, error
command = ["ls", "/srv"]
said = stream(core.connect_get_namespaced_pod_exec, "web", "default", command=command, stdout=True, stderr=True)
assert said == "a\nb\n", said
print("done")
