import { describe, expect, it } from '@jest/globals';
import { type CreateQueueCommandInput, SQS, SQSServiceException, type Message } from '@aws-sdk/client-sqs';
import { useBacklot } from '@backlot/testing';
import { closing, optionsFor } from './support.js';

const backlot = useBacklot({ services: ['aws'] });

const connect = (attempts = 1): SQS => closing(new SQS(optionsFor(backlot.env.AWS_ENDPOINT_URL, attempts)));

async function queue(
  Attributes: Record<string, string> = {},
  QueueName = 'orders',
): Promise<{ sqs: SQS; QueueUrl: string }> {
  const sqs = connect();
  const { QueueUrl = '' } = await sqs.createQueue({ QueueName, Attributes });
  return { sqs, QueueUrl };
}

const bodies = (messages: readonly Message[] | undefined): unknown[] =>
  (messages ?? []).map(({ Body }) => Body);

describe('queues', () => {
  it('are made, found, listed, changed and removed', async () => {
    const { sqs, QueueUrl } = await queue({ DelaySeconds: '5' });
    expect(QueueUrl).toBe(`${backlot.env.AWS_ENDPOINT_URL}/000000000000/orders`);
    expect(await sqs.getQueueUrl({ QueueName: 'orders' })).toMatchObject({ QueueUrl });
    expect((await sqs.createQueue({ QueueName: 'orders', Attributes: { DelaySeconds: '5' } })).QueueUrl).toBe(
      QueueUrl,
    );
    await expect(
      sqs.createQueue({ QueueName: 'orders', Attributes: { DelaySeconds: '6' } }),
    ).rejects.toMatchObject({
      name: 'QueueNameExists',
    });
    for (const name of ['a', 'b', 'other']) await sqs.createQueue({ QueueName: name });
    const first = await sqs.listQueues({ MaxResults: 2 });
    expect(first.QueueUrls).toHaveLength(2);
    const rest = await sqs.listQueues({ MaxResults: 5, NextToken: first.NextToken });
    expect(rest.QueueUrls).toEqual([QueueUrl, expect.stringMatching(/other$/)]);
    await sqs.setQueueAttributes({ QueueUrl, Attributes: { VisibilityTimeout: '7' } });
    const { Attributes } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
    expect(Attributes).toMatchObject({
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:orders',
      DelaySeconds: '5',
      VisibilityTimeout: '7',
      ApproximateNumberOfMessages: '0',
    });
    await sqs.tagQueue({ QueueUrl, Tags: { team: 'tea', x: '1' } });
    await sqs.untagQueue({ QueueUrl, TagKeys: ['x'] });
    expect((await sqs.listQueueTags({ QueueUrl })).Tags).toEqual({ team: 'tea' });
    await sqs.deleteQueue({ QueueUrl });
    const gone = sqs.getQueueUrl({ QueueName: 'orders' });
    await expect(gone).rejects.toBeInstanceOf(SQSServiceException);
    await expect(gone).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
      $metadata: { httpStatusCode: 400 },
    });
  });

  it.each([
    [{ QueueName: 'a b' }, 'InvalidParameterValue'],
    [{ QueueName: 'a.fifo' }, 'InvalidParameterValue'],
    [{ QueueName: 'a', Attributes: { FifoQueue: 'true' } }, 'InvalidParameterValue'],
    [{ QueueName: 'a', Attributes: { DelaySeconds: '901' } }, 'InvalidAttributeValue'],
    [{ QueueName: 'a', Attributes: { Colour: 'red' } }, 'InvalidAttributeName'],
    [{ QueueName: 'a', Attributes: { RedrivePolicy: '{"maxReceiveCount": 0}' } }, 'InvalidAttributeValue'],
  ])('are refused for %j', async (input, name) => {
    await expect(connect().createQueue(input as CreateQueueCommandInput)).rejects.toMatchObject({
      name: expect.stringContaining(name),
    });
  });
});

describe('messages', () => {
  it('are received with all that they have, come back after their time, and are deleted', async () => {
    backlot.clock.freeze(true);
    const { sqs, QueueUrl } = await queue({ VisibilityTimeout: '10' });
    const MessageAttributes = {
      kind: { DataType: 'String', StringValue: 'tea' },
      bytes: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255]) },
    };
    // The SDK compares the digests of what it has sent.
    const { MessageId } = await sqs.sendMessage({ QueueUrl, MessageBody: 'ünï', MessageAttributes });
    const ask = { QueueUrl, MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] } as const;
    const receive = async (): Promise<Message | undefined> =>
      (
        await sqs.receiveMessage({
          ...ask,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        })
      ).Messages?.[0];
    const first = await receive();
    expect(first).toMatchObject({ MessageId, Body: 'ünï', Attributes: { ApproximateReceiveCount: '1' } });
    expect(Buffer.from(first?.MessageAttributes?.['bytes']?.BinaryValue ?? [])).toEqual(
      Buffer.from([0, 255]),
    );
    expect(await receive()).toBeUndefined();
    const counts = async (): Promise<unknown[]> => {
      const { Attributes } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
      return [
        Attributes?.['ApproximateNumberOfMessages'],
        Attributes?.['ApproximateNumberOfMessagesNotVisible'],
      ];
    };
    expect(await counts()).toEqual(['0', '1']);
    await backlot.clock.advance(10_000);
    expect(await counts()).toEqual(['1', '0']);
    const again = await receive();
    expect(again?.Attributes).toMatchObject({ ApproximateReceiveCount: '2' });
    await sqs.changeMessageVisibility({
      QueueUrl,
      ReceiptHandle: again?.ReceiptHandle,
      VisibilityTimeout: 0,
    });
    const third = await receive();
    expect(third?.Attributes?.['ApproximateReceiveCount']).toBe('3');
    await sqs.deleteMessage({ QueueUrl, ReceiptHandle: third?.ReceiptHandle });
    await backlot.clock.advance(60_000);
    expect(await receive()).toBeUndefined();
    await expect(sqs.deleteMessage({ QueueUrl, ReceiptHandle: 'x' })).rejects.toMatchObject({
      name: 'ReceiptHandleIsInvalid',
    });
  });

  it('are waited for, until one comes or the time is over', async () => {
    const { sqs, QueueUrl } = await queue();
    const waiting = sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 });
    await sqs.sendMessage({ QueueUrl: (await queue({}, 'other')).QueueUrl, MessageBody: 'no' });
    await sqs.sendMessage({ QueueUrl, MessageBody: 'here' });
    expect(bodies((await waiting).Messages)).toEqual(['here']);
    const before = backlot.clock.now();
    expect((await sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 1 })).Messages).toBeUndefined();
    expect(backlot.clock.now() - before).toBeGreaterThanOrEqual(1000);
  });

  it('that are delayed come when their time has come, also to who waits', async () => {
    const { sqs, QueueUrl } = await queue();
    await sqs.sendMessage({ QueueUrl, MessageBody: 'late', DelaySeconds: 1 });
    expect((await sqs.receiveMessage({ QueueUrl })).Messages).toBeUndefined();
    expect(bodies((await sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 10 })).Messages)).toEqual(['late']);
  });

  it('go in batches, of which parts may fail', async () => {
    const { sqs, QueueUrl } = await queue();
    const sent = await sqs.sendMessageBatch({
      QueueUrl,
      Entries: [
        { Id: 'a', MessageBody: 'one' },
        { Id: 'b', MessageBody: 'two', DelaySeconds: 901 },
        { Id: 'c', MessageBody: 'three' },
      ],
    });
    expect(sent.Successful?.map(({ Id }) => Id)).toEqual(['a', 'c']);
    expect(sent.Failed).toMatchObject([{ Id: 'b', Code: 'InvalidParameterValue', SenderFault: true }]);
    const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
    expect(bodies(Messages)).toEqual(['one', 'three']);
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: `m${index}`, ReceiptHandle }));
    expect((await sqs.deleteMessageBatch({ QueueUrl, Entries })).Successful).toHaveLength(2);
    expect(backlot.collection('aws:messages').list()).toEqual([]);
    await expect(sqs.deleteMessageBatch({ QueueUrl, Entries: [] })).rejects.toMatchObject({
      name: 'EmptyBatchRequest',
    });
    const many = Array.from({ length: 11 }, (_, n) => ({ Id: `${n}`, MessageBody: 'x' }));
    await expect(sqs.sendMessageBatch({ QueueUrl, Entries: many })).rejects.toMatchObject({
      name: 'TooManyEntriesInBatchRequest',
    });
    const same = [
      { Id: 'a', MessageBody: 'x' },
      { Id: 'a', MessageBody: 'y' },
    ];
    await expect(sqs.sendMessageBatch({ QueueUrl, Entries: same })).rejects.toMatchObject({
      name: 'BatchEntryIdsNotDistinct',
    });
  });

  it('that are received too often go to another queue, and back', async () => {
    const { sqs, QueueUrl: dead } = await queue({}, 'dead');
    const deadLetterTargetArn = 'arn:aws:sqs:us-east-1:000000000000:dead';
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 });
    const { QueueUrl } = await queue({ RedrivePolicy, VisibilityTimeout: '0' });
    await sqs.sendMessage({ QueueUrl, MessageBody: 'poison' });
    const receive = async (url: string): Promise<unknown[]> =>
      bodies((await sqs.receiveMessage({ QueueUrl: url })).Messages);
    expect(await receive(QueueUrl)).toEqual(['poison']);
    expect(await receive(QueueUrl)).toEqual(['poison']);
    expect(await receive(QueueUrl)).toEqual([]);
    expect(await receive(dead)).toEqual(['poison']);
    expect((await sqs.listDeadLetterSourceQueues({ QueueUrl: dead })).queueUrls).toEqual([QueueUrl]);
    await sqs.startMessageMoveTask({ SourceArn: deadLetterTargetArn });
    expect(await receive(QueueUrl)).toEqual(['poison']);
    await sqs.purgeQueue({ QueueUrl });
    expect(await receive(QueueUrl)).toEqual([]);
  });

  it('that are wrong are refused', async () => {
    const { sqs, QueueUrl } = await queue({ MaximumMessageSize: '1024' });
    await expect(sqs.sendMessage({ QueueUrl, MessageBody: 'x'.repeat(1025) })).rejects.toMatchObject({
      message: expect.stringContaining('shorter than 1024 bytes'),
    });
    await expect(sqs.sendMessage({ QueueUrl, MessageBody: '\u0001' })).rejects.toMatchObject({
      name: 'InvalidMessageContents',
    });
    await expect(sqs.sendMessage({ QueueUrl, MessageBody: '' })).rejects.toBeInstanceOf(SQSServiceException);
    await expect(sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 11 })).rejects.toThrow(
      'MaxNumberOfMessages',
    );
    await expect(sqs.sendMessage({ QueueUrl: `${QueueUrl}x`, MessageBody: 'x' })).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
    });
    await expect(
      sqs.addPermission({ QueueUrl, Label: 'a', AWSAccountIds: ['1'], Actions: ['*'] }),
    ).rejects.toThrow('these are: CreateQueue');
  });
});

describe('FIFO queues', () => {
  it('keep the order of a group, and take a message once', async () => {
    const { sqs, QueueUrl } = await queue(
      { FifoQueue: 'true', ContentBasedDeduplication: 'true' },
      'jobs.fifo',
    );
    const send = (
      MessageBody: string,
      MessageGroupId: string,
    ): Promise<{ SequenceNumber?: string | undefined }> =>
      sqs.sendMessage({ QueueUrl, MessageBody, MessageGroupId });
    const one = await send('a1', 'a');
    expect((await send('a1', 'a')).SequenceNumber).toBe(one.SequenceNumber);
    const two = await send('a2', 'a');
    expect(String(two.SequenceNumber) > String(one.SequenceNumber)).toBe(true);
    await send('b1', 'b');
    const receive = async (): Promise<Message[]> =>
      (await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 1, MessageSystemAttributeNames: ['All'] }))
        .Messages ?? [];
    const [first] = await receive();
    expect(first).toMatchObject({
      Body: 'a1',
      Attributes: { MessageGroupId: 'a', SequenceNumber: one.SequenceNumber },
    });
    expect(bodies(await receive())).toEqual(['b1']);
    expect(await receive()).toEqual([]);
    await sqs.deleteMessage({ QueueUrl, ReceiptHandle: first?.ReceiptHandle });
    expect(bodies(await receive())).toEqual(['a2']);
    await expect(sqs.sendMessage({ QueueUrl, MessageBody: 'x' })).rejects.toThrow('MessageGroupId');
    await backlot.clock.advance(300_000);
    expect((await send('a1', 'a')).SequenceNumber).not.toBe(one.SequenceNumber);
  });
});

describe('scenarios', () => {
  it('sqs-redelivery delivers a message again until it is deleted', async () => {
    backlot.scenarios.activate('aws:sqs-redelivery');
    const { sqs, QueueUrl } = await queue();
    await sqs.sendMessage({ QueueUrl, MessageBody: 'twice' });
    const one = await sqs.receiveMessage({ QueueUrl });
    const two = await sqs.receiveMessage({ QueueUrl });
    expect([...bodies(one.Messages), ...bodies(two.Messages)]).toEqual(['twice', 'twice']);
    await sqs.deleteMessage({ QueueUrl, ReceiptHandle: two.Messages?.[0]?.ReceiptHandle });
    expect((await sqs.receiveMessage({ QueueUrl })).Messages).toBeUndefined();
  });

  it('throttled-twice lets the third attempt of the SDK pass', async () => {
    backlot.scenarios.activate('aws:throttled-twice');
    const { $metadata } = await connect(3).listQueues({});
    expect($metadata).toMatchObject({ attempts: 3 });
  });
});
