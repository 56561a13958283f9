import { createHash } from 'node:crypto';
import { AwsError } from '../../../aws/errors.mjs';
import { deliver } from './deliver.mjs';
import { invalid, topicOf } from './topics.mjs';

const MAX_MESSAGE = 262_144;

/** Publishes one message. @returns what is answered */
function publish(input, topic, call) {
  const { Message: message, Subject: subject, MessageStructure: structure } = input;
  if (typeof message !== 'string' || message === '') throw invalid('Empty message');
  if (Buffer.byteLength(message) > MAX_MESSAGE) throw invalid('Message too long');
  if (subject !== undefined && (subject === '' || subject.length > 100 || /[\r\n]/.test(subject)))
    throw invalid('Subject');
  const attributes = input.MessageAttributes ?? {};
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

export const publishOperations = {
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
};
