import { AwsError } from '../../../aws/errors.mjs';
import { invalidValue, missing } from './errors.mjs';
import { arnOf, isFifo, messagesOf, numberOf, queueByArn, queueOf, redriveOf } from './queues.mjs';
import { batch, md5, md5OfAttributes } from './send.mjs';
import { waitFor, wake } from './waiting.mjs';

function inRange(input, name, low, high, fallback) {
  const value = input[name] === undefined ? fallback : Number(input[name]);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  throw invalidValue(
    `Value ${String(input[name])} for parameter ${name} is invalid. Reason: Must be >= ${low} and <= ${high}, if provided.`,
  );
}

/** Takes messages out of sight that may be received now. */
function take(queue, limit, visibility, call) {
  const { now } = call;
  const rows = call.rows('messages');
  const retention = numberOf(queue, 'MessageRetentionPeriod') * 1000;
  const redrive = redriveOf(queue, call);
  const blocked = new Set();
  const taken = [];
  for (const row of [...messagesOf(call, queue)]) {
    if (taken.length === limit) break;
    if (row.sent + retention <= now) {
      rows.remove(row.id);
      continue;
    }
    // Messages of a group come in their order: behind one that is away, the others wait.
    if (isFifo(queue) && blocked.has(row.group)) continue;
    if (row.visible_at > now) {
      blocked.add(row.group);
      continue;
    }
    if (redrive !== undefined && row.receives >= redrive.limit) {
      rows.remove(row.id);
      rows.create({
        ...row,
        queue: redrive.target.id,
        receives: 0,
        visible_at: now,
        source: queue.id,
        first_received: null,
      });
      wake();
      continue;
    }
    const receives = row.receives + 1;
    taken.push(
      rows.replace(row.id, {
        ...row,
        receives,
        visible_at: call.redelivers === true ? now : now + visibility * 1000,
        first_received: row.first_received ?? now,
        receipt: Buffer.from(`${row.id} ${receives} ${call.token(8)}`).toString('base64'),
      }),
    );
  }
  return taken;
}

/** When the next message of a queue comes into sight, or so much later. */
function nextTime(queue, call, until) {
  let next = until;
  for (const { visible_at: at } of messagesOf(call, queue)) if (at > call.now && at < next) next = at;
  return next;
}

function shown(row, input, call) {
  const wanted = input.MessageSystemAttributeNames ?? input.AttributeNames ?? [];
  const system = {
    SenderId: call.account,
    SentTimestamp: String(row.sent),
    ApproximateReceiveCount: String(row.receives),
    ApproximateFirstReceiveTimestamp: String(row.first_received),
    ...(row.group === undefined ? {} : { MessageGroupId: row.group }),
    ...(row.dedup === undefined ? {} : { MessageDeduplicationId: row.dedup, SequenceNumber: row.sequence }),
    ...(row.source === undefined ? {} : { DeadLetterQueueSourceArn: arnOf({ id: row.source }, call) }),
  };
  const some = Object.entries(system).filter(([name]) => wanted.includes('All') || wanted.includes(name));
  const names = input.MessageAttributeNames ?? [];
  const attributes = Object.entries(row.attributes ?? {}).filter(([name]) =>
    names.some(
      (one) =>
        one === 'All' ||
        one === '.*' ||
        one === name ||
        (one.endsWith('.*') && name.startsWith(one.slice(0, -1))),
    ),
  );
  return {
    MessageId: row.id,
    ReceiptHandle: row.receipt,
    MD5OfBody: md5(row.body),
    Body: row.body,
    ...(some.length > 0 ? { Attributes: Object.fromEntries(some) } : {}),
    ...(attributes.length > 0
      ? {
          MessageAttributes: Object.fromEntries(attributes),
          MD5OfMessageAttributes: md5OfAttributes(Object.fromEntries(attributes)),
        }
      : {}),
  };
}

/** The message of a receipt handle; `undefined` when it is not there any more. */
function received(handle, queue, call) {
  if (typeof handle !== 'string' || handle === '') throw missing('ReceiptHandle');
  const [id, count] = Buffer.from(handle, 'base64').toString().split(' ');
  if (!/^[\da-f-]{36}$/.test(id) || !/^\d+$/.test(count ?? ''))
    throw new AwsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
    );
  const row = call.find('messages', id);
  return row?.queue === queue.id ? row : undefined;
}

function remove(handle, queue, call) {
  const row = received(handle, queue, call);
  if (row === undefined) return;
  if (isFifo(queue) && (row.receipt !== handle || row.visible_at <= call.now))
    throw invalidValue(
      `Value ${handle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`,
    );
  call.rows('messages').remove(row.id);
  // The next one of its group may be received now.
  wake();
}

function changeVisibility(input, queue, call) {
  const timeout = inRange(input, 'VisibilityTimeout', 0, 43_200, undefined);
  const row = received(input.ReceiptHandle, queue, call);
  if (row === undefined)
    throw invalidValue(
      `Value ${input.ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
    );
  if (row.visible_at <= call.now)
    throw new AwsError('MessageNotInflight', 'The specified message is not in flight.', {
      query: { code: 'AWS.SimpleQueueService.MessageNotInflight' },
    });
  call.rows('messages').replace(row.id, { ...row, visible_at: call.now + timeout * 1000 });
  if (timeout === 0) wake();
}

export const receiveOperations = {
  async ReceiveMessage(input, call) {
    const queue = queueOf(input, call);
    const limit = inRange(input, 'MaxNumberOfMessages', 1, 10, 1);
    const visibility = inRange(input, 'VisibilityTimeout', 0, 43_200, numberOf(queue, 'VisibilityTimeout'));
    const wait = inRange(input, 'WaitTimeSeconds', 0, 20, numberOf(queue, 'ReceiveMessageWaitTimeSeconds'));
    const until = call.now + wait * 1000;
    for (;;) {
      // It may have been changed or removed meanwhile.
      const taken = take(queueOf(input, call), limit, visibility, call);
      if (taken.length > 0) return { Messages: taken.map((row) => shown(row, input, call)) };
      const left = nextTime(queue, call, until) - call.now;
      if (call.now >= until || !(await waitFor(Math.max(1, left), call.context))) return {};
    }
  },
  DeleteMessage(input, call) {
    remove(input.ReceiptHandle, queueOf(input, call), call);
  },
  DeleteMessageBatch(input, call) {
    const queue = queueOf(input, call);
    return batch(input.Entries, ({ ReceiptHandle: handle }) => remove(handle, queue, call));
  },
  ChangeMessageVisibility(input, call) {
    changeVisibility(input, queueOf(input, call), call);
  },
  ChangeMessageVisibilityBatch(input, call) {
    const queue = queueOf(input, call);
    return batch(input.Entries, (entry) => changeVisibility(entry, queue, call));
  },
  StartMessageMoveTask({ SourceArn: from, DestinationArn: to }, call) {
    const source = queueByArn(from, call);
    const target = to === undefined ? undefined : queueByArn(to, call);
    if (source === undefined || (to !== undefined && target === undefined))
      throw new AwsError(
        'ResourceNotFoundException',
        'The resource that you specified for the SourceArn or DestinationArn parameter does not exist.',
      );
    const rows = call.rows('messages');
    for (const { source: before, ...row } of [...messagesOf(call, source)]) {
      const queue = target?.id ?? before;
      if (queue === undefined) continue;
      rows.remove(row.id);
      rows.create({ ...row, queue, receives: 0, visible_at: call.now });
    }
    wake();
    return { TaskHandle: Buffer.from(call.uuid()).toString('base64') };
  },
};
