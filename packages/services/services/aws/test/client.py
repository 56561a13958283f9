"""What boto3 does with the services at one address; prints `done` when all of it was as it should be."""

import json
import sys

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError


def client(name):
    return boto3.client(name, endpoint_url=sys.argv[1])


def code_of(call, **given):
    try:
        call(**given)
    except ClientError as error:
        return error.response["Error"]["Code"]
    raise AssertionError("it was not refused")


# This version speaks the query protocol with SQS.
sqs = client("sqs")
url = sqs.create_queue(QueueName="python", Attributes={"VisibilityTimeout": "5"}, tags={"a": "1"})["QueueUrl"]
assert sqs.list_queue_tags(QueueUrl=url)["Tags"] == {"a": "1"}
sqs.send_message(
    QueueUrl=url, MessageBody="text <&>", MessageAttributes={"kind": {"DataType": "String", "StringValue": "tea"}}
)
got = sqs.receive_message(QueueUrl=url, AttributeNames=["All"], MessageAttributeNames=["All"])["Messages"]
assert got[0]["Body"] == "text <&>" and got[0]["Attributes"]["ApproximateReceiveCount"] == "1", got
assert got[0]["MessageAttributes"]["kind"]["StringValue"] == "tea", got
sqs.delete_message(QueueUrl=url, ReceiptHandle=got[0]["ReceiptHandle"])
batch = sqs.send_message_batch(
    QueueUrl=url, Entries=[{"Id": "a", "MessageBody": "1"}, {"Id": "b", "MessageBody": "2", "DelaySeconds": 901}]
)
assert [one["Id"] for one in batch["Successful"]] == ["a"] and batch["Failed"][0]["Id"] == "b", batch
attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
assert attributes["VisibilityTimeout"] == "5" and attributes["ApproximateNumberOfMessages"] == "1", attributes
assert code_of(sqs.get_queue_url, QueueName="none") == "AWS.SimpleQueueService.NonExistentQueue"
assert url in sqs.list_queues()["QueueUrls"]

sns = client("sns")
topic = sns.create_topic(Name="python")["TopicArn"]
sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=attributes["QueueArn"], Attributes={"FilterPolicy": '{"a": ["b"]}'})
sns.publish(TopicArn=topic, Message="x", MessageAttributes={"a": {"DataType": "String", "StringValue": "b"}})
sns.publish(TopicArn=topic, Message="y")
bodies = [one["Body"] for one in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]]
assert len(bodies) == 2 and json.loads(bodies[1])["Message"] == "x", bodies

dynamo = boto3.resource("dynamodb", endpoint_url=sys.argv[1])
table = dynamo.create_table(
    TableName="python",
    KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
    AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
    BillingMode="PAY_PER_REQUEST",
)
table.wait_until_exists()
with table.batch_writer() as writer:
    for n in range(60):
        writer.put_item(Item={"id": "a", "n": n, "kind": "odd" if n % 2 else "even"})
found = table.query(
    KeyConditionExpression=Key("id").eq("a") & Key("n").between(10, 19), FilterExpression=Attr("kind").eq("odd")
)
assert [int(one["n"]) for one in found["Items"]] == [11, 13, 15, 17, 19], found
assert (
    code_of(table.put_item, Item={"id": "a", "n": 1}, ConditionExpression=Attr("id").not_exists())
    == "ConditionalCheckFailedException"
)
table.delete()

secrets = client("secretsmanager")
secrets.create_secret(Name="python", SecretString="s")
assert secrets.get_secret_value(SecretId="python")["SecretString"] == "s"
assert code_of(secrets.get_secret_value, SecretId="none") == "ResourceNotFoundException"

message = {"Subject": {"Data": "s"}, "Body": {"Text": {"Data": "t"}}}
client("ses").send_email(Source="a@example.com", Destination={"ToAddresses": ["b@example.com"]}, Message=message)
client("sesv2").send_email(
    FromEmailAddress="a@example.com", Destination={"ToAddresses": ["b@example.com"]}, Content={"Simple": message}
)
assert client("ses").get_send_quota()["SentLast24Hours"] == 2

assert client("sts").get_caller_identity()["Account"] == "000000000000"
answer = client("lambda").invoke(FunctionName="echo", Payload=b'{"a": 1}')
assert json.load(answer["Payload"]) == {"a": 1}

s3 = client("s3")
s3.create_bucket(Bucket="python")
s3.put_object(Bucket="python", Key="k", Body=b"bytes")
assert s3.get_object(Bucket="python", Key="k")["Body"].read() == b"bytes"
print("done")
