import { createHash } from 'node:crypto';
import { AwsError } from '../../../aws/errors.mjs';
import { mapOf } from '../query.mjs';
import { deliver, post } from './deliver.mjs';
import { parsePolicy } from './filters.mjs';

const PROTOCOLS = ['sqs', 'http', 'https', 'email', 'email-json', 'sms', 'lambda'];
const TOPIC_ATTRIBUTES = [
  'DisplayName',
  'Policy',
  'DeliveryPolicy',
  'FifoTopic',
  'ContentBasedDeduplication',
  'KmsMasterKeyId',
  'SignatureVersion',
  'TracingConfig',
];
const SUBSCRIPTION_ATTRIBUTES = [
  'DeliveryPolicy',
  'FilterPolicy',
  'FilterPolicyScope',
  'RawMessageDelivery',
  'RedrivePolicy',
];
const MAX_MESSAGE = 262_144;
const PAGE = 100;

function invalid(message) {
  return new AwsError('InvalidParameter', `Invalid parameter: ${message}`);
}

function notFound(what) {
  return new AwsError('NotFound', `${what} does not exist`, { status: 404 });
}

function topicOf(arn, call) {
  if (typeof arn !== 'string' || !/^arn:aws[\w-]*:sns:[^:]*:\d{12}:[\w.-]+$/.test(arn))
    throw invalid('TopicArn Reason: An ARN must have at least 6 elements');
  const row = call.find('topics', arn.slice(arn.lastIndexOf(':') + 1));
  if (row === undefined) throw notFound('Topic');
  return { attributes: {}, ...row, arn: row.arn ?? arn };
}

function subscriptionOf(arn, call) {
  const row = call.find('subscriptions', String(arn).slice(String(arn).lastIndexOf(':') + 1));
  if (row === undefined) throw notFound('Subscription');
  return row;
}

function checkNames(attributes, known, place) {
  for (const name of Object.keys(attributes))
    if (!known.includes(name)) throw invalid(`${place} Reason: Unknown attribute ${name}`);
}

function paged(all, token) {
  const start = Number(token ?? 0);
  if (!Number.isInteger(start)) throw invalid('NextToken Reason: it is none that was given');
  const next = start + PAGE;
  return { items: all.slice(start, next), NextToken: next < all.length ? String(next) : undefined };
}

function shownSubscription({ arn, pending, protocol, endpoint, topic_arn: topic }, call) {
  return {
    SubscriptionArn: pending === true ? 'PendingConfirmation' : arn,
    Owner: call.account,
    Protocol: protocol,
    Endpoint: endpoint,
    TopicArn: topic,
  };
}

function checkSubscription(attributes) {
  checkNames(attributes, SUBSCRIPTION_ATTRIBUTES, 'Attributes');
  if (attributes.FilterPolicy !== undefined && attributes.FilterPolicy !== '')
    parsePolicy(attributes.FilterPolicy);
  const { FilterPolicyScope: scope } = attributes;
  if (scope !== undefined && scope !== 'MessageBody' && scope !== 'MessageAttributes')
    throw invalid('FilterPolicyScope Reason: must be MessageAttributes or MessageBody');
}

/** Publishes one message. @returns what is answered */
function publish(input, topic, call) {
  const { Message: message, Subject: subject, MessageStructure: structure } = input;
  if (typeof message !== 'string' || message === '') throw invalid('Empty message');
  if (Buffer.byteLength(message) > MAX_MESSAGE) throw invalid('Message too long');
  if (subject !== undefined && (subject === '' || subject.length > 100 || /[\r\n]/.test(subject)))
    throw invalid('Subject');
  const attributes = mapOf(input.MessageAttributes) ?? {};
  for (const [name, { DataType: type, StringValue: text, BinaryValue: binary }] of Object.entries(
    attributes,
  )) {
    if (!/^(?:String|Number|Binary)/.test(type ?? ''))
      throw new AwsError(
        'InvalidParameterValue',
        `The message attribute '${name}' has an invalid message attribute type`,
      );
    if ((text ?? binary ?? '') === '')
      throw new AwsError(
        'InvalidParameterValue',
        `The message attribute '${name}' must contain non-empty message attribute value`,
      );
  }
  const texts = structure === 'json' ? parseTexts(message) : { default: message };
  const order = topic?.id.endsWith('.fifo') === true ? orderOf(input, topic, call) : {};
  if (order.earlier !== undefined)
    return { MessageId: order.earlier.message, SequenceNumber: order.earlier.sequence };
  const id = call.uuid();
  call.rows('notifications').create({
    id,
    ...(topic === undefined ? { phone: input.PhoneNumber } : { topic: topic.arn }),
    message,
    attributes,
    ...(subject === undefined ? {} : { subject }),
    at: new Date(call.now).toISOString(),
  });
  if (order.key !== undefined)
    call.put('deduplications', { id: order.key, at: call.now, message: id, sequence: order.sequence });
  if (topic !== undefined)
    deliver(topic, { id, text: texts.default, texts, subject, attributes, ...order }, call);
  return { MessageId: id, SequenceNumber: order.sequence };
}

function parseTexts(message) {
  let texts;
  try {
    texts = JSON.parse(message);
  } catch {
    throw invalid('Message Structure - JSON message body failed to parse');
  }
  if (typeof texts?.default !== 'string')
    throw invalid('Message Structure - No default entry in JSON message body');
  return texts;
}

function orderOf({ MessageGroupId: group, MessageDeduplicationId: given, Message: message }, topic, call) {
  if (!group) throw invalid('The MessageGroupId parameter is required for FIFO topics');
  if (given === undefined && topic.attributes.ContentBasedDeduplication !== 'true')
    throw invalid(
      'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  const dedup = given ?? createHash('sha256').update(message).digest('hex');
  // A queue may have the same name.
  const key = `topic ${topic.id} ${dedup}`;
  const earlier = call.find('deduplications', key);
  if (earlier !== undefined && earlier.at + 300_000 > call.now) return { earlier };
  const count = (call.find('topics', topic.id).sequence ?? 0) + 1;
  call.put('topics', { ...call.find('topics', topic.id), sequence: count });
  return { key, group, dedup, sequence: `1${String(count).padStart(19, '0')}` };
}

function targetOf({ TopicArn: topic, TargetArn: target, PhoneNumber: phone }, call) {
  if (topic === undefined && target === undefined && phone !== undefined) {
    if (!/^\+?\d{5,15}$/.test(phone))
      throw invalid(`PhoneNumber Reason: ${phone} is not valid to publish to`);
    return undefined;
  }
  return topicOf(topic ?? target, call);
}

export const operations = {
  CreateTopic(input, call) {
    const { Name: id } = input;
    const attributes = mapOf(input.Attributes) ?? {};
    if (!/^(?=.{1,256}$)[\w-]+(?:\.fifo)?$/.test(id ?? '')) throw invalid('Topic Name');
    checkNames(attributes, TOPIC_ATTRIBUTES, 'Attributes');
    if ((attributes.FifoTopic === 'true') !== id.endsWith('.fifo'))
      throw invalid(
        'Fifo Topic names must end with .fifo, and must be made up of only uppercase and lowercase ASCII letters, numbers, underscores, and hyphens',
      );
    const arn = call.find('topics', id)?.arn ?? call.arn('sns', id);
    if (call.find('topics', id) === undefined)
      call.put('topics', { id, arn, attributes, tags: input.Tags ?? [] });
    return { TopicArn: arn };
  },
  DeleteTopic({ TopicArn: arn }, call) {
    const id = String(arn).slice(String(arn).lastIndexOf(':') + 1);
    if (call.find('topics', id) === undefined) return;
    call.rows('topics').remove(id);
    for (const row of call.rows('subscriptions').list())
      if (row.topic === id) call.rows('subscriptions').remove(row.id);
  },
  ListTopics(input, call) {
    const all = call.rows('topics').list();
    const { items, NextToken } = paged(all, input.NextToken);
    return { Topics: items.map(({ id, arn }) => ({ TopicArn: arn ?? call.arn('sns', id) })), NextToken };
  },
  GetTopicAttributes(input, call) {
    const topic = topicOf(input.TopicArn, call);
    const own = call
      .rows('subscriptions')
      .list()
      .filter((row) => row.topic === topic.id);
    const pending = own.filter((row) => row.pending === true).length;
    return {
      Attributes: new Map(
        Object.entries({
          TopicArn: topic.arn,
          Owner: call.account,
          SubscriptionsConfirmed: String(own.length - pending),
          SubscriptionsPending: String(pending),
          SubscriptionsDeleted: '0',
          ...topic.attributes,
        }),
      ),
    };
  },
  SetTopicAttributes({ TopicArn: arn, AttributeName: name, AttributeValue: value = '' }, call) {
    const topic = topicOf(arn, call);
    checkNames({ [name]: value }, TOPIC_ATTRIBUTES, 'AttributeName');
    call.put('topics', { ...topic, attributes: { ...topic.attributes, [name]: value } });
  },
  Subscribe(input, call) {
    const topic = topicOf(input.TopicArn, call);
    const { Protocol: protocol, Endpoint: endpoint } = input;
    const attributes = mapOf(input.Attributes) ?? {};
    if (!PROTOCOLS.includes(protocol))
      throw invalid(
        `Amazon SNS does not support this protocol string: ${String(protocol)}; those that are mocked are ${PROTOCOLS.join(', ')}`,
      );
    if (!endpoint) throw invalid('Endpoint');
    const isHttp = protocol === 'http' || protocol === 'https';
    if (isHttp && !endpoint.startsWith(`${protocol}://`))
      throw invalid(`Endpoint must match the specified protocol`);
    if (protocol === 'sqs' && !/^arn:aws[\w-]*:sqs:/.test(endpoint)) throw invalid('SQS endpoint ARN');
    checkSubscription(attributes);
    const there = call
      .rows('subscriptions')
      .list()
      .find((row) => row.topic === topic.id && row.protocol === protocol && row.endpoint === endpoint);
    if (there !== undefined)
      return { SubscriptionArn: there.pending === true ? 'pending confirmation' : there.arn };
    const id = call.uuid();
    const row = {
      ...{
        id,
        topic: topic.id,
        topic_arn: topic.arn,
        arn: `${topic.arn}:${id}`,
        protocol,
        endpoint,
        attributes,
      },
      ...(isHttp ? { pending: true, token: call.token(64) } : {}),
    };
    call.rows('subscriptions').create(row);
    if (isHttp) askToConfirm(row, topic, call);
    return {
      SubscriptionArn: isHttp && input.ReturnSubscriptionArn !== 'true' ? 'pending confirmation' : row.arn,
    };
  },
  ConfirmSubscription({ TopicArn: arn, Token: token }, call) {
    const topic = topicOf(arn, call);
    const row = call
      .rows('subscriptions')
      .list()
      .find((one) => one.topic === topic.id && one.token === token);
    if (row === undefined) throw invalid('Token');
    const { pending: _pending, ...confirmed } = row;
    call.rows('subscriptions').replace(row.id, confirmed);
    return { SubscriptionArn: row.arn };
  },
  Unsubscribe({ SubscriptionArn: arn }, call) {
    call.rows('subscriptions').remove(subscriptionOf(arn, call).id);
  },
  ListSubscriptions(input, call) {
    const { items, NextToken } = paged(call.rows('subscriptions').list(), input.NextToken);
    return { Subscriptions: items.map((row) => shownSubscription(row, call)), NextToken };
  },
  ListSubscriptionsByTopic(input, call) {
    const topic = topicOf(input.TopicArn, call);
    const own = call
      .rows('subscriptions')
      .list()
      .filter((row) => row.topic === topic.id);
    const { items, NextToken } = paged(own, input.NextToken);
    return { Subscriptions: items.map((row) => shownSubscription(row, call)), NextToken };
  },
  GetSubscriptionAttributes({ SubscriptionArn: arn }, call) {
    const row = subscriptionOf(arn, call);
    return {
      Attributes: new Map(
        Object.entries({
          SubscriptionArn: row.arn,
          TopicArn: row.topic_arn,
          Owner: call.account,
          Protocol: row.protocol,
          Endpoint: row.endpoint,
          PendingConfirmation: String(row.pending === true),
          RawMessageDelivery: 'false',
          ...row.attributes,
        }),
      ),
    };
  },
  SetSubscriptionAttributes({ SubscriptionArn: arn, AttributeName: name, AttributeValue: value = '' }, call) {
    const row = subscriptionOf(arn, call);
    checkSubscription({ [name]: value });
    const attributes = { ...row.attributes, [name]: value };
    if (value === '' || value === '{}') delete attributes[name];
    call.rows('subscriptions').replace(row.id, { ...row, attributes });
  },
  Publish: (input, call) => publish(input, targetOf(input, call), call),
  PublishBatch(input, call) {
    const topic = topicOf(input.TopicArn, call);
    const { PublishBatchRequestEntries: entries = [] } = input;
    if (entries.length === 0)
      throw new AwsError('EmptyBatchRequest', "The batch request doesn't contain any entries.");
    if (entries.length > 10)
      throw new AwsError(
        'TooManyEntriesInBatchRequest',
        'The batch request contains more entries than permissible.',
      );
    if (new Set(entries.map(({ Id }) => Id)).size < entries.length)
      throw new AwsError(
        'BatchEntryIdsNotDistinct',
        'Two or more batch entries in the request have the same Id.',
      );
    const Successful = [];
    const Failed = [];
    for (const { Id, ...entry } of entries) {
      try {
        Successful.push({ Id, ...publish(entry, topic, call) });
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        Failed.push({ Id, Code: error.code, Message: error.message, SenderFault: true });
      }
    }
    return { Successful, Failed };
  },
  ListTagsForResource: ({ ResourceArn: arn }, call) => ({ Tags: topicOf(arn, call).tags ?? [] }),
  TagResource({ ResourceArn: arn, Tags: tags = [] }, call) {
    const topic = topicOf(arn, call);
    const names = tags.map(({ Key }) => Key);
    call.put('topics', {
      ...topic,
      tags: [...(topic.tags ?? []).filter(({ Key }) => !names.includes(Key)), ...tags],
    });
  },
  UntagResource({ ResourceArn: arn, TagKeys: names = [] }, call) {
    const topic = topicOf(arn, call);
    call.put('topics', { ...topic, tags: (topic.tags ?? []).filter(({ Key }) => !names.includes(Key)) });
  },
};

function askToConfirm(row, topic, call) {
  const id = call.uuid();
  const link = `${call.address}/?Action=ConfirmSubscription&TopicArn=${encodeURIComponent(topic.arn)}&Token=${row.token}`;
  const body = JSON.stringify({
    Type: 'SubscriptionConfirmation',
    MessageId: id,
    Token: row.token,
    TopicArn: topic.arn,
    Message: `You have chosen to subscribe to the topic ${topic.arn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
    SubscribeURL: link,
    Timestamp: new Date(call.now).toISOString(),
  });
  post({ endpoint: row.endpoint }, topic, { id, type: 'SubscriptionConfirmation', body }, call);
}
