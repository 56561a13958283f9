import { AwsError } from '../../../aws/errors.mjs';
import { mapOf } from '../query.mjs';
import { post } from './deliver.mjs';
import { parsePolicy } from './filters.mjs';
import { publishOperations } from './publish.mjs';
import { invalid, notFound, topicOf } from './topics.mjs';

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
const PAGE = 100;

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

/** The parameters of a query, with maps for lists of entries. */
export function fields(input) {
  const made = { ...input };
  for (const name of ['Attributes', 'MessageAttributes'])
    if (made[name] !== undefined) made[name] = mapOf(made[name]);
  if (Array.isArray(made.PublishBatchRequestEntries))
    made.PublishBatchRequestEntries = made.PublishBatchRequestEntries.map((one) =>
      typeof one === 'object' ? fields(one) : one,
    );
  return made;
}

export const operations = {
  CreateTopic(input, call) {
    const { Name: id } = input;
    const attributes = input.Attributes ?? {};
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
    const attributes = input.Attributes ?? {};
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
  ...publishOperations,
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
