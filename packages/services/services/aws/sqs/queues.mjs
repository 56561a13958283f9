import { AwsError } from '../../../aws/errors.mjs';
import { invalidValue, missing, noQueue } from './errors.mjs';

/** The attributes that a queue may be given, with what they are when it is not. */
const NUMBERS = {
  DelaySeconds: [0, 0, 900],
  MaximumMessageSize: [1_048_576, 1024, 1_048_576],
  MessageRetentionPeriod: [345_600, 60, 1_209_600],
  ReceiveMessageWaitTimeSeconds: [0, 0, 20],
  VisibilityTimeout: [30, 0, 43_200],
};
const TEXTS = [
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'FifoQueue',
  'FifoThroughputLimit',
  'KmsDataKeyReusePeriodSeconds',
  'KmsMasterKeyId',
  'Policy',
  'RedriveAllowPolicy',
  'RedrivePolicy',
  'SqsManagedSseEnabled',
];

/** The queue of a url. @throws what SQS answers when there is none */
export function queueOf({ QueueUrl: url }, call) {
  if (typeof url !== 'string' || url === '') throw missing('QueueUrl');
  const row = call.find('queues', url.slice(url.lastIndexOf('/') + 1));
  if (row === undefined) throw noQueue();
  return row;
}

/** The queue of an ARN, or `undefined`. */
export function queueByArn(arn, call) {
  return call.find('queues', String(arn).slice(String(arn).lastIndexOf(':') + 1));
}

export function numberOf({ attributes = {} }, name) {
  return Number(attributes[name] ?? NUMBERS[name][0]);
}

export function isFifo({ id }) {
  return id.endsWith('.fifo');
}

export function arnOf(queue, call) {
  return queue.arn ?? call.arn('sqs', queue.id);
}

/** Where messages go that were received too often, and how often that is. */
export function redriveOf({ attributes = {} }, call) {
  if (attributes.RedrivePolicy === undefined) return undefined;
  const { deadLetterTargetArn: arn, maxReceiveCount: limit } = JSON.parse(attributes.RedrivePolicy);
  const target = queueByArn(arn, call);
  return target === undefined ? undefined : { target, limit: Number(limit) };
}

function checkAttributes(attributes, call, id) {
  const made = {};
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (Object.hasOwn(NUMBERS, name)) {
      const [, low, high] = NUMBERS[name];
      if (!/^\d+$/.test(text) || Number(text) < low || Number(text) > high) throw invalidAttribute(name);
    } else if (!TEXTS.includes(name))
      throw new AwsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    else if (name === 'RedrivePolicy' && text !== '') checkRedrive(text, call, id);
    if (text === '') continue;
    made[name] = text;
  }
  return made;
}

function invalidAttribute(name, reason = '') {
  return new AwsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.${reason}`);
}

function checkRedrive(text, call, id) {
  let policy;
  try {
    policy = JSON.parse(text);
  } catch {
    throw invalidAttribute('RedrivePolicy', ' Reason: Redrive policy is not a valid JSON map.');
  }
  const limit = Number(policy.maxReceiveCount);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw invalidAttribute(
      'RedrivePolicy',
      ' Reason: Invalid value for maxReceiveCount, must be from 1 to 1000.',
    );
  const target = queueByArn(policy.deadLetterTargetArn, call);
  if (target === undefined)
    throw invalidValue(
      `Value ${text} for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist.`,
    );
  if (isFifo(target) !== id.endsWith('.fifo'))
    throw invalidValue(
      `Value ${text} for parameter RedrivePolicy is invalid. Reason: Dead-letter queue must be same type of queue as the source.`,
    );
}

/** The rows of the messages of a queue, the oldest first. */
export function* messagesOf(call, { id }) {
  for (const row of call.rows('messages').values()) if (row.queue === id) yield row;
}

function attributesOf(queue, call) {
  const { now } = call;
  const counts = { here: 0, away: 0, delayed: 0 };
  for (const { visible_at: at, receives } of messagesOf(call, queue))
    counts[at <= now ? 'here' : receives > 0 ? 'away' : 'delayed'] += 1;
  const created = String(Math.floor((Date.parse(queue.created) || now) / 1000));
  return {
    QueueArn: arnOf(queue, call),
    ApproximateNumberOfMessages: String(counts.here),
    ApproximateNumberOfMessagesNotVisible: String(counts.away),
    ApproximateNumberOfMessagesDelayed: String(counts.delayed),
    CreatedTimestamp: created,
    LastModifiedTimestamp: queue.changed ?? created,
    ...Object.fromEntries(Object.entries(NUMBERS).map(([name, [value]]) => [name, String(value)])),
    ...(isFifo(queue) ? { FifoQueue: 'true', ContentBasedDeduplication: 'false' } : {}),
    SqsManagedSseEnabled: 'true',
    ...queue.attributes,
  };
}

export const queueOperations = {
  CreateQueue(input, call) {
    const { QueueName: id, Attributes: given = {}, tags = {} } = input;
    if (!/^(?=.{1,80}$)[\w-]+(?:\.fifo)?$/.test(id ?? ''))
      throw invalidValue(
        'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
      );
    const attributes = checkAttributes(given, call, id);
    if ((attributes.FifoQueue === 'true') !== id.endsWith('.fifo'))
      throw invalidValue(
        attributes.FifoQueue === 'true'
          ? 'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.'
          : 'The queue name of a standard queue cannot end with .fifo; set the attribute FifoQueue to true.',
      );
    const there = call.find('queues', id);
    if (there !== undefined) {
      const before = attributesOf(there, call);
      const other = Object.keys(attributes).find((name) => before[name] !== attributes[name]);
      if (other !== undefined)
        throw new AwsError(
          'QueueNameExists',
          `A queue already exists with the same name and a different value for attribute ${other}`,
          { query: { code: 'QueueAlreadyExists' } },
        );
    } else call.put('queues', { id, attributes, tags, arn: call.arn('sqs', id) });
    return { QueueUrl: urlOf({ id }, call) };
  },
  GetQueueUrl({ QueueName: id }, call) {
    if (typeof id !== 'string') throw missing('QueueName');
    const queue = call.find('queues', id);
    if (queue === undefined) throw noQueue();
    return { QueueUrl: urlOf(queue, call) };
  },
  ListQueues({ QueueNamePrefix: prefix = '', MaxResults: limit = 1000, NextToken: token = '' }, call) {
    const after = Buffer.from(token, 'base64').toString();
    const all = call
      .rows('queues')
      .list()
      .map(({ id }) => id)
      .filter((id) => id.startsWith(prefix) && id > after)
      .sort();
    const shown = all.slice(0, Number(limit));
    return {
      QueueUrls: shown.map((id) => urlOf({ id }, call)),
      ...(shown.length < all.length ? { NextToken: Buffer.from(shown.at(-1)).toString('base64') } : {}),
    };
  },
  DeleteQueue(input, call) {
    const queue = queueOf(input, call);
    empty(queue, call);
    call.rows('queues').remove(queue.id);
  },
  PurgeQueue(input, call) {
    empty(queueOf(input, call), call);
  },
  GetQueueAttributes(input, call) {
    const all = attributesOf(queueOf(input, call), call);
    const names = input.AttributeNames ?? [];
    for (const name of names)
      if (name !== 'All' && !Object.hasOwn(all, name) && !TEXTS.includes(name))
        throw new AwsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    const shown = Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name));
    return shown.length === 0 ? {} : { Attributes: Object.fromEntries(shown) };
  },
  SetQueueAttributes(input, call) {
    const queue = queueOf(input, call);
    const { Attributes: given = {} } = input;
    if (given.FifoQueue !== undefined)
      throw new AwsError('InvalidAttributeName', 'Unknown Attribute FifoQueue.');
    const attributes = { ...queue.attributes, ...checkAttributes(given, call, queue.id) };
    for (const [name, value] of Object.entries(given)) if (value === '') delete attributes[name];
    call.put('queues', { ...queue, attributes, changed: String(Math.floor(call.now / 1000)) });
  },
  ListDeadLetterSourceQueues(input, call) {
    const target = queueOf(input, call);
    const sources = call
      .rows('queues')
      .list()
      .filter((one) => redriveOf(one, call)?.target.id === target.id);
    return { queueUrls: sources.map((one) => urlOf(one, call)) };
  },
  TagQueue(input, call) {
    const queue = queueOf(input, call);
    call.put('queues', { ...queue, tags: { ...queue.tags, ...input.Tags } });
  },
  UntagQueue(input, call) {
    const queue = queueOf(input, call);
    const left = Object.entries(queue.tags ?? {}).filter(([name]) => !(input.TagKeys ?? []).includes(name));
    call.put('queues', { ...queue, tags: Object.fromEntries(left) });
  },
  ListQueueTags: (input, call) => ({ Tags: queueOf(input, call).tags ?? {} }),
};

function urlOf({ id }, call) {
  return `${call.address}/${call.account}/${id}`;
}

function empty(queue, call) {
  const rows = call.rows('messages');
  for (const { id } of [...messagesOf(call, queue)]) rows.remove(id);
}
