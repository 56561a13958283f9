import { createHash } from 'node:crypto';
import { AwsError } from '../../../aws/errors.mjs';
import { invalidValue, missing } from './errors.mjs';
import { isFifo, numberOf, queueOf } from './queues.mjs';
import { wake } from './waiting.mjs';

const DEDUPLICATION = 300_000;
const MAX_ATTRIBUTES = 10;

export function md5(text) {
  return createHash('md5').update(text).digest('hex');
}

/** The digest of the attributes of a message, as SQS computes it. */
export function md5OfAttributes(attributes) {
  const hash = createHash('md5');
  const add = (bytes) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of Object.keys(attributes).sort()) {
    const { DataType: type, StringValue: text, BinaryValue: binary } = attributes[name];
    add(Buffer.from(name));
    add(Buffer.from(type));
    hash.update(Buffer.from([type.startsWith('Binary') ? 2 : 1]));
    add(type.startsWith('Binary') ? Buffer.from(binary, 'base64') : Buffer.from(text));
  }
  return hash.digest('hex');
}

function checkAttributes(attributes) {
  const names = Object.keys(attributes);
  if (names.length > MAX_ATTRIBUTES)
    throw invalidValue(
      `Number of message attributes [${names.length}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`,
    );
  for (const name of names) {
    const { DataType: type, StringValue: text, BinaryValue: binary } = attributes[name];
    const base = String(type).split('.')[0];
    if (!['String', 'Number', 'Binary'].includes(base))
      throw invalidValue(
        `The type of message (user) attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
      );
    const value = base === 'Binary' ? binary : text;
    if (typeof value !== 'string' || value === '')
      throw invalidValue(`The message attribute '${name}' must contain a non-empty message attribute value.`);
    if (base === 'Number' && !Number.isFinite(Number(value)))
      throw invalidValue(`Can't cast the value of message (user) attribute '${name}' to a number.`);
  }
}

/**
 * Puts a message into a queue.
 *
 * @param input - `MessageBody` and the further parameters of SendMessage
 * @returns the parameters of its answer
 */
export function send(input, queue, call) {
  const { MessageBody: body, MessageAttributes: attributes = {}, DelaySeconds: delay } = input;
  if (typeof body !== 'string' || body === '') throw missing('MessageBody');
  if (/[^\t\n\r\u0020-\uFFFD]/.test(body.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '')))
    throw new AwsError('InvalidMessageContents', 'Invalid characters found in the message body.');
  checkAttributes(attributes);
  const largest = numberOf(queue, 'MaximumMessageSize');
  const size = Object.entries(attributes).reduce(
    (sum, [name, { DataType: type, StringValue: text = '', BinaryValue: binary = '' }]) =>
      sum + Buffer.byteLength(name + type + text) + Math.floor((binary.length * 3) / 4),
    Buffer.byteLength(body),
  );
  if (size > largest)
    throw invalidValue(
      `One or more parameters are invalid. Reason: Message must be shorter than ${largest} bytes.`,
    );
  const seconds = delay === undefined ? numberOf(queue, 'DelaySeconds') : Number(delay);
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > 900)
    throw invalidValue(
      `Value ${String(delay)} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`,
    );
  const order = orderOf(input, queue, call, body);
  if (isFifo(queue) && delay !== undefined && Number(delay) !== 0)
    throw invalidValue(
      `Value ${String(delay)} for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.`,
    );
  const digests = {
    MD5OfMessageBody: md5(body),
    ...(Object.keys(attributes).length > 0 ? { MD5OfMessageAttributes: md5OfAttributes(attributes) } : {}),
  };
  if (order.earlier !== undefined)
    return { MessageId: order.earlier.message, ...digests, SequenceNumber: order.earlier.sequence };
  const id = call.uuid();
  call.put('messages', {
    ...{ id, queue: queue.id, body, attributes, sent: call.now },
    visible_at: call.now + seconds * 1000,
    receives: 0,
    ...order.fields,
  });
  if (order.dedup !== undefined)
    call.put('deduplications', {
      id: order.dedup,
      at: call.now,
      message: id,
      sequence: order.fields.sequence,
    });
  wake();
  return { MessageId: id, ...digests, SequenceNumber: order.fields.sequence };
}

/** Where a message stands in a FIFO queue, and the one before that it repeats. */
function orderOf({ MessageGroupId: group, MessageDeduplicationId: given }, queue, call, body) {
  if (!isFifo(queue)) {
    if (given !== undefined)
      throw invalidValue(
        `Value ${given} for parameter MessageDeduplicationId is invalid. Reason: The request includes a parameter that is not valid for this queue type.`,
      );
    return { fields: group === undefined ? {} : { group } };
  }
  if (!group) throw missing('MessageGroupId');
  const isByContent = queue.attributes?.ContentBasedDeduplication === 'true';
  if (given === undefined && !isByContent)
    throw invalidValue(
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  const dedup = given ?? createHash('sha256').update(body).digest('hex');
  forgetOld(call);
  const isByGroup = queue.attributes?.DeduplicationScope === 'messageGroup';
  const id = `${queue.id} ${isByGroup ? `${group} ` : ''}${dedup}`;
  const earlier = call.find('deduplications', id);
  if (earlier !== undefined) return { earlier };
  const count = (queue.sequence ?? 0) + 1;
  call.put('queues', { ...call.find('queues', queue.id), sequence: count });
  return { dedup: id, fields: { group, dedup, sequence: `1${String(count).padStart(19, '0')}` } };
}

function forgetOld(call) {
  const rows = call.rows('deduplications');
  const old = [];
  for (const { id, at } of rows.values()) {
    if (at + DEDUPLICATION > call.now) break;
    old.push(id);
  }
  for (const id of old) rows.remove(id);
}

const MAX_BATCH = 10;

/** Carries out each entry of a batch, and says which went wrong. */
export function batch(entries, act) {
  if (!Array.isArray(entries) || entries.length === 0)
    throw batchError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > MAX_BATCH)
    throw batchError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MAX_BATCH}. You have sent ${entries.length}.`,
    );
  const ids = entries.map(({ Id }) => Id);
  for (const id of ids)
    if (!/^[\w-]{1,80}$/.test(id ?? ''))
      throw batchError(
        'InvalidBatchEntryId',
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
      );
  if (new Set(ids).size < ids.length)
    throw batchError(
      'BatchEntryIdsNotDistinct',
      'Two or more batch entries in the request have the same Id.',
    );
  const Successful = [];
  const Failed = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...act(entry) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const { code, query, message, status } = error;
      Failed.push({ Id: entry.Id, SenderFault: status < 500, Code: query?.code ?? code, Message: message });
    }
  }
  return { Successful, Failed };
}

function batchError(code, message) {
  return new AwsError(code, message, { query: { code: `AWS.SimpleQueueService.${code}` } });
}

export const sendOperations = {
  SendMessage: (input, call) => send(input, queueOf(input, call), call),
  SendMessageBatch(input, call) {
    queueOf(input, call);
    const size = (input.Entries ?? []).reduce(
      (sum, one) => sum + Buffer.byteLength(one.MessageBody ?? ''),
      0,
    );
    if (size > 1_048_576)
      throw batchError(
        'BatchRequestTooLong',
        `Batch requests cannot be longer than 1048576 bytes. You have sent ${size} bytes.`,
      );
    // The queue counts its messages, so that it is read anew for each.
    return batch(input.Entries, (entry) => send(entry, queueOf(input, call), call));
  },
};
