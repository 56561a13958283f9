import { AwsError } from '../../../aws/errors.mjs';
import { queueByArn } from '../sqs/queues.mjs';
import { send } from '../sqs/send.mjs';
import { accepts } from './filters.mjs';

/** Sends a message to those who have subscribed to a topic and want it. */
export function deliver(topic, message, call) {
  for (const row of call.rows('subscriptions').list()) {
    if (row.topic !== topic.id || row.pending === true || !wants(row, message)) continue;
    deliverTo(row, topic, message, call);
  }
}

function wants({ attributes: { FilterPolicy: text, FilterPolicyScope: scope } = {} }, message) {
  if (text === undefined) return true;
  if (scope !== 'MessageBody') return accepts(JSON.parse(text), valuesOf(message.attributes));
  try {
    return accepts(JSON.parse(text), JSON.parse(message.text));
  } catch {
    return false;
  }
}

/** The attributes of a message as values of JSON, as filters compare them. */
function valuesOf(attributes) {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType: type, StringValue: text }]) => {
      if (type.startsWith('Number')) return [name, Number(text)];
      if (type !== 'String.Array') return [name, text];
      try {
        return [name, JSON.parse(text)];
      } catch {
        return [name, text];
      }
    }),
  );
}

function deliverTo(subscription, topic, message, call) {
  const { protocol, endpoint, attributes = {} } = subscription;
  const isRaw = attributes.RawMessageDelivery === 'true';
  const text = message.texts[protocol] ?? message.texts.default;
  const body = isRaw ? text : JSON.stringify(envelope(subscription, topic, { ...message, text }, call));
  switch (protocol) {
    case 'sqs': {
      const queue = queueByArn(endpoint, call);
      if (queue === undefined) return;
      const { group, dedup } = message;
      const fields = isRaw ? { MessageAttributes: message.attributes } : {};
      const order = queue.id.endsWith('.fifo')
        ? { MessageGroupId: group, MessageDeduplicationId: dedup }
        : {};
      try {
        send({ MessageBody: body, ...fields, ...order }, queue, call);
      } catch (error) {
        // SNS gives up what a queue refuses.
        if (!(error instanceof AwsError)) throw error;
      }
      return;
    }
    case 'http':
    case 'https':
      post(subscription, topic, { id: message.id, type: 'Notification', body, isRaw }, call);
      return;
    default:
      call.rows('deliveries').create({
        ...{ topic: topic.arn, protocol, endpoint, message: text },
        ...(message.subject === undefined ? {} : { subject: message.subject }),
      });
  }
}

/** Sends a message of SNS to an address of HTTP. */
export function post({ arn, endpoint }, topic, { id, type, body, isRaw = false }, call) {
  call.context.webhook({
    url: endpoint,
    headers: {
      'Content-Type': 'text/plain; charset=UTF-8',
      'User-Agent': 'Amazon Simple Notification Service Agent',
      'x-amz-sns-message-type': type,
      'x-amz-sns-message-id': id,
      'x-amz-sns-topic-arn': topic.arn,
      ...(arn === undefined ? {} : { 'x-amz-sns-subscription-arn': arn }),
      ...(isRaw ? { 'x-amz-sns-rawdelivery': 'true' } : {}),
    },
    body,
    retries: 3,
  });
}

function envelope({ arn }, topic, message, call) {
  const attributes = Object.entries(message.attributes).map(([name, one]) => [
    name,
    { Type: one.DataType, Value: one.StringValue ?? one.BinaryValue },
  ]);
  return {
    Type: 'Notification',
    MessageId: message.id,
    ...(message.sequence === undefined ? {} : { SequenceNumber: message.sequence }),
    TopicArn: topic.arn,
    ...(message.subject === undefined ? {} : { Subject: message.subject }),
    Message: message.text,
    Timestamp: new Date(call.now).toISOString(),
    UnsubscribeURL: `${call.address}/?Action=Unsubscribe&SubscriptionArn=${encodeURIComponent(arn)}`,
    ...(attributes.length === 0 ? {} : { MessageAttributes: Object.fromEntries(attributes) }),
  };
}
