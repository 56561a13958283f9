import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { NotFoundException, SNS } from '@aws-sdk/client-sns';
import { SQS } from '@aws-sdk/client-sqs';
import { useBacklot } from '@backlot/testing';
import { closing, optionsFor } from './support.js';

const backlot = useBacklot({ services: ['aws'] });

const connect = (): SNS => closing(new SNS(optionsFor(backlot.env.AWS_ENDPOINT_URL)));
const queues = (): SQS => closing(new SQS(optionsFor(backlot.env.AWS_ENDPOINT_URL)));
const SQS_ARN = 'arn:aws:sqs:us-east-1:000000000000:';

async function topic(
  Attributes: Record<string, string> = {},
): Promise<{ sns: SNS; TopicArn: string; QueueUrl: string; SubscriptionArn: string }> {
  const sns = connect();
  const { TopicArn = '' } = await sns.createTopic({ Name: 'news' });
  const { QueueUrl = '' } = await queues().createQueue({ QueueName: 'inbox' });
  const { SubscriptionArn = '' } = await sns.subscribe({
    TopicArn,
    Protocol: 'sqs',
    Endpoint: `${SQS_ARN}inbox`,
    Attributes,
  });
  return { sns, TopicArn, QueueUrl, SubscriptionArn };
}

async function inbox(QueueUrl: string): Promise<(string | undefined)[]> {
  const { Messages = [] } = await queues().receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
  return Messages.map(({ Body }) => Body);
}

describe('topics', () => {
  it('are made, listed, described and removed with those who have subscribed', async () => {
    const { sns, TopicArn, SubscriptionArn } = await topic();
    expect(TopicArn).toBe('arn:aws:sns:us-east-1:000000000000:news');
    expect((await sns.createTopic({ Name: 'news' })).TopicArn).toBe(TopicArn);
    expect((await sns.listTopics({})).Topics).toEqual([{ TopicArn }]);
    await sns.setTopicAttributes({ TopicArn, AttributeName: 'DisplayName', AttributeValue: 'News & more' });
    const { Attributes } = await sns.getTopicAttributes({ TopicArn });
    expect(Attributes).toMatchObject({ DisplayName: 'News & more', SubscriptionsConfirmed: '1' });
    const { Subscriptions } = await sns.listSubscriptionsByTopic({ TopicArn });
    expect(Subscriptions).toMatchObject([{ SubscriptionArn, Protocol: 'sqs', Endpoint: `${SQS_ARN}inbox` }]);
    await sns.tagResource({ ResourceArn: TopicArn, Tags: [{ Key: 'a', Value: '1' }] });
    expect((await sns.listTagsForResource({ ResourceArn: TopicArn })).Tags).toEqual([
      { Key: 'a', Value: '1' },
    ]);
    await sns.deleteTopic({ TopicArn });
    expect((await sns.listSubscriptions({})).Subscriptions).toEqual([]);
    const gone = sns.publish({ TopicArn, Message: 'x' });
    await expect(gone).rejects.toBeInstanceOf(NotFoundException);
    await expect(gone).rejects.toMatchObject({
      message: 'Topic does not exist',
      $metadata: { httpStatusCode: 404 },
    });
  });
});

describe('messages', () => {
  it('come to queues in an envelope, or as they are', async () => {
    const { sns, TopicArn, QueueUrl, SubscriptionArn } = await topic();
    const MessageAttributes = { kind: { DataType: 'String', StringValue: 'tea' } };
    const { MessageId } = await sns.publish({
      TopicArn,
      Message: 'hello <&>',
      Subject: 'Hi',
      MessageAttributes,
    });
    const [body = ''] = await inbox(QueueUrl);
    expect(JSON.parse(body)).toMatchObject({
      Type: 'Notification',
      MessageId,
      TopicArn,
      Subject: 'Hi',
      Message: 'hello <&>',
      MessageAttributes: { kind: { Type: 'String', Value: 'tea' } },
    });
    await sns.setSubscriptionAttributes({
      SubscriptionArn,
      AttributeName: 'RawMessageDelivery',
      AttributeValue: 'true',
    });
    await sns.publish({ TopicArn, Message: 'raw', MessageAttributes });
    const { Messages } = await queues().receiveMessage({ QueueUrl, MessageAttributeNames: ['All'] });
    expect(Messages).toMatchObject([{ Body: 'raw', MessageAttributes: { kind: { StringValue: 'tea' } } }]);
    await sns.unsubscribe({ SubscriptionArn });
    await sns.publish({ TopicArn, Message: 'nobody' });
    expect(await inbox(QueueUrl)).toEqual([]);
    expect(backlot.collection('aws:notifications').list()).toHaveLength(3);
  });

  it('have another text for each protocol, and go to mails and phones that a test reads', async () => {
    const { sns, TopicArn, QueueUrl } = await topic({ RawMessageDelivery: 'true' });
    await sns.subscribe({ TopicArn, Protocol: 'email', Endpoint: 'ann@example.com' });
    const Message = JSON.stringify({ default: 'all', sqs: 'queues' });
    await sns.publish({ TopicArn, Message, MessageStructure: 'json', Subject: 'Hi' });
    expect(await inbox(QueueUrl)).toEqual(['queues']);
    expect(backlot.collection('aws:deliveries').list()).toMatchObject([
      { protocol: 'email', endpoint: 'ann@example.com', message: 'all', subject: 'Hi' },
    ]);
    await sns.publish({ PhoneNumber: '+41790000000', Message: 'code 123' });
    expect(backlot.collection('aws:notifications').list().at(-1)).toMatchObject({
      phone: '+41790000000',
      message: 'code 123',
    });
  });

  it.each([
    [{ kind: ['tea', 'milk'] }, { kind: 'tea' }, true],
    [{ kind: ['tea'] }, { kind: 'coffee' }, false],
    [{ kind: ['tea'] }, {}, false],
    [{ kind: [{ prefix: 'te' }], cups: [{ numeric: ['>', 1, '<=', 3] }] }, { kind: 'tea', cups: 3 }, true],
    [{ cups: [{ numeric: ['>', 1, '<=', 3] }] }, { cups: 1 }, false],
    [{ kind: [{ 'anything-but': ['tea'] }] }, { kind: 'coffee' }, true],
    [{ kind: [{ 'anything-but': { prefix: 'te' } }] }, { kind: 'tea' }, false],
    [{ kind: [{ exists: false }] }, {}, true],
    [{ kind: [{ suffix: 'EA' }, { 'equals-ignore-case': 'TEA' }] }, { kind: 'tea' }, true],
    [{ $or: [{ kind: ['tea'] }, { cups: [2] }] }, { cups: 2 }, true],
  ])('with the filter %j and the attributes %j come: %j', async (policy, values, comes) => {
    const { sns, TopicArn, QueueUrl } = await topic({
      FilterPolicy: JSON.stringify(policy),
      RawMessageDelivery: 'true',
    });
    const MessageAttributes = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        { DataType: typeof value === 'number' ? 'Number' : 'String', StringValue: String(value) },
      ]),
    );
    await sns.publish({ TopicArn, Message: 'm', MessageAttributes });
    expect(await inbox(QueueUrl)).toEqual(comes ? ['m'] : []);
  });

  it('are filtered by their bodies, where that is asked for', async () => {
    const FilterPolicy = JSON.stringify({ order: { total: [{ numeric: ['>=', 100] }] } });
    const { sns, TopicArn, QueueUrl } = await topic({
      FilterPolicy,
      FilterPolicyScope: 'MessageBody',
      RawMessageDelivery: 'true',
    });
    const large = JSON.stringify({ order: { total: 100 } });
    for (const Message of [large, JSON.stringify({ order: { total: 99 } }), 'no JSON'])
      await sns.publish({ TopicArn, Message });
    expect(await inbox(QueueUrl)).toEqual([large]);
  });

  it('go in batches, and in order to queues that keep it', async () => {
    const sns = connect();
    const { TopicArn } = await sns.createTopic({ Name: 'jobs.fifo', Attributes: { FifoTopic: 'true' } });
    const { QueueUrl = '' } = await queues().createQueue({
      QueueName: 'jobs.fifo',
      Attributes: { FifoQueue: 'true' },
    });
    await sns.subscribe({
      TopicArn,
      Protocol: 'sqs',
      Endpoint: `${SQS_ARN}jobs.fifo`,
      Attributes: { RawMessageDelivery: 'true' },
    });
    const entry = (Id: string, Message: string): object => ({
      Id,
      Message,
      MessageGroupId: 'g',
      MessageDeduplicationId: Message,
    });
    const { Successful, Failed } = await sns.publishBatch({
      TopicArn,
      PublishBatchRequestEntries: [
        entry('a', 'one'),
        entry('b', 'two'),
        entry('c', 'one'),
        entry('d', ''),
      ] as never,
    });
    expect(Successful).toHaveLength(3);
    expect(Failed).toMatchObject([{ Id: 'd', Code: 'InvalidParameter' }]);
    expect(await inbox(QueueUrl)).toEqual(['one', 'two']);
    await expect(sns.publish({ TopicArn, Message: 'x' })).rejects.toThrow('MessageGroupId');
  });

  it('come to an address of HTTP once it has confirmed', async () => {
    const got: { headers: IncomingHttpHeaders; body: Record<string, string> }[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString()));
      request.on('end', () => {
        got.push({ headers: request.headers, body: JSON.parse(text) as Record<string, string> });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const arrived = async (count: number): Promise<void> => {
      while (got.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    try {
      const sns = connect();
      const { TopicArn } = await sns.createTopic({ Name: 'news' });
      const Endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      const { SubscriptionArn } = await sns.subscribe({ TopicArn, Protocol: 'http', Endpoint });
      expect(SubscriptionArn).toBe('pending confirmation');
      await sns.publish({ TopicArn, Message: 'too early' });
      await arrived(1);
      expect(got[0]).toMatchObject({
        headers: { 'x-amz-sns-message-type': 'SubscriptionConfirmation', 'x-amz-sns-topic-arn': TopicArn },
        body: { Type: 'SubscriptionConfirmation', Token: expect.any(String) },
      });
      const { Token = '', SubscribeURL = '' } = got[0]?.body ?? {};
      await expect(sns.confirmSubscription({ TopicArn, Token: `${Token}x` })).rejects.toMatchObject({
        name: 'InvalidParameterException',
      });
      expect((await fetch(SubscribeURL)).status).toBe(200);
      await sns.publish({ TopicArn, Message: 'now' });
      await arrived(2);
      expect(got[1]).toMatchObject({
        headers: { 'x-amz-sns-message-type': 'Notification' },
        body: { Type: 'Notification', Message: 'now' },
      });
    } finally {
      server.close();
    }
  });

  it.each([
    [{ Message: '' }, 'Empty message'],
    [{ Message: 'x'.repeat(262_145) }, 'Message too long'],
    [{ Message: '{}', MessageStructure: 'json' }, 'No default entry'],
    [{ Message: 'x', Subject: 'a\nb' }, 'Subject'],
  ])('that are wrong are refused: %#', async (input, message) => {
    const { sns, TopicArn } = await topic();
    await expect(sns.publish({ TopicArn, ...input })).rejects.toMatchObject({
      name: 'InvalidParameterException',
      message: expect.stringContaining(message),
    });
  });

  it('have no filters that are not known', async () => {
    await expect(topic({ FilterPolicy: '{"a": [{"cidr": "10.0.0.0/8"}]}' })).rejects.toThrow(
      'Unrecognized match type cidr',
    );
    await expect(topic({ FilterPolicy: '{' })).rejects.toThrow('failed to parse JSON');
  });
});
