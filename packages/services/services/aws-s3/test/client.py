"""What boto3 does with buckets and objects; prints `done` when all of it was as it should be."""

import io
import sys

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

s3 = boto3.client("s3", endpoint_url=sys.argv[1])
s3.create_bucket(Bucket="python")
for n in range(5):
    s3.put_object(Bucket="python", Key=f"k {n}ü/x", Body=f"text {n}".encode(), Metadata={"n": str(n)})
pages = s3.get_paginator("list_objects_v2").paginate(Bucket="python", PaginationConfig={"PageSize": 2})
keys = [one["Key"] for page in pages for one in page["Contents"]]
assert keys == [f"k {n}ü/x" for n in range(5)], keys
got = s3.get_object(Bucket="python", Key="k 3ü/x")
assert got["Body"].read() == b"text 3" and got["Metadata"] == {"n": "3"}, got
try:
    s3.get_object(Bucket="python", Key="none")
    raise AssertionError("it was there")
except s3.exceptions.NoSuchKey as error:
    assert error.response["Error"]["Code"] == "NoSuchKey"
try:
    s3.head_object(Bucket="python", Key="none")
    raise AssertionError("it was there")
except ClientError as error:
    assert error.response["Error"]["Code"] == "404", error.response

large = bytes(range(256)) * 50_000
config = TransferConfig(multipart_threshold=6 * 1024 * 1024, multipart_chunksize=6 * 1024 * 1024)
s3.upload_fileobj(io.BytesIO(large), "python", "large", Config=config)
assert s3.head_object(Bucket="python", Key="large")["ETag"].endswith('-3"')
back = io.BytesIO()
s3.download_fileobj("python", "large", back, Config=config)
assert back.getvalue() == large

bucket = boto3.resource("s3", endpoint_url=sys.argv[1]).Bucket("python")
bucket.objects.all().delete()
bucket.delete()
assert "python" not in [one["Name"] for one in s3.list_buckets()["Buckets"]]
print("done")
