import { AwsError } from '../../aws/errors.mjs';

/** What parameters are, by their names; `objects` is a list of objects, and `values` an object of objects. */
const SHAPES = {
  string: `ClientRequestToken ConditionExpression DestinationArn Endpoint FilterExpression IndexName KeyConditionExpression
    MessageBody MessageDeduplicationId MessageGroupId NextToken ProjectionExpression Protocol QueueName QueueNamePrefix QueueUrl
    ReceiptHandle ResourceArn RoleArn RoleSessionName SecretId SecretString SourceArn SubscriptionArn TableName Token TopicArn
    UpdateExpression ExclusiveStartTableName VersionId VersionStage ExcludeCharacters FromEmailAddress Source EmailAddress EmailIdentity
    Description AttributeName AttributeValue PhoneNumber SecretBinary Select ReturnValues ReturnConsumedCapacity`,
  list: `AttributeNames BccAddresses CcAddresses Destinations Identities MessageAttributeNames MessageSystemAttributeNames
    NonKeyAttributes ReplyToAddresses SecretIdList TagKeys ToAddresses Values VersionStages`,
  objects: `AttributeDefinitions EmailTags Entries Filters GlobalSecondaryIndexUpdates GlobalSecondaryIndexes KeySchema Keys
    LocalSecondaryIndexes PublishBatchRequestEntries TransactItems`,
  object: `Attributes ConditionCheck Content Create Delete DeleteRequest Destination ExclusiveStartKey ExpressionAttributeNames Get Item
    Projection ProvisionedThroughput Put PutRequest Raw RawMessage Simple StreamSpecification Template TimeToLiveSpecification Update tags`,
  values: 'MessageAttributes RequestItems',
};

/** Where a name means something else. */
const OWN = {
  sqs: { Tags: 'object' },
  sns: { Message: 'string', Subject: 'string', Tags: 'objects', Name: 'string' },
  ses: {
    Message: 'object',
    Subject: 'object',
    Body: 'object',
    Text: 'object',
    Html: 'object',
    Tags: 'objects',
  },
  sesv2: { Subject: 'object', Body: 'object', Text: 'object', Html: 'object' },
  secretsmanager: { Tags: 'objects', Name: 'string' },
  dynamodb: { Tags: 'objects', Key: 'object' },
};

const BY_NAME = new Map(
  Object.entries(SHAPES).flatMap(([shape, names]) => names.split(/\s+/).map((name) => [name, shape])),
);

/** What holds data of the application, in which names mean nothing. */
const DATA = ['ExclusiveStartKey', 'ExpressionAttributeValues', 'Item', 'Key', 'Keys', 'tags'];

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TESTS = {
  string: (value) => typeof value === 'string',
  list: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  objects: (value) => Array.isArray(value) && value.every(isObject),
  object: isObject,
  values: (value) =>
    isObject(value) && Object.values(value).every((one) => typeof one === 'object' && one !== null),
};

/**
 * The parameters of a call without those that are null, which stand for none.
 *
 * @throws what services answer when one is of another type than it should be
 */
export function checkShapes(input, service) {
  if (Array.isArray(input)) return input.map((one) => (isObject(one) ? checkShapes(one, service) : one));
  const made = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === null || value === undefined) continue;
    const own = OWN[service] ?? {};
    const shape = Object.hasOwn(own, name) ? own[name] : BY_NAME.get(name);
    if (shape !== undefined && !TESTS[shape](value))
      throw new AwsError(
        'SerializationException',
        `The parameter ${name} is of another type than it should be: ${JSON.stringify(value).slice(0, 100)}`,
      );
    const isNested = typeof value === 'object' && !DATA.includes(name);
    const inner = isNested ? checkShapes(value, service) : value;
    Object.defineProperty(made, name, { value: inner, enumerable: true, writable: true, configurable: true });
  }
  return made;
}
