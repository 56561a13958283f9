import { waitFor } from '../../../waiting/index.mjs';
import { invalid, operation, PubsubError, refusalOf } from './errors.mjs';
import { checkName } from './names.mjs';
import { changed, Store } from './store.mjs';
import { deadlineOf } from './subscriptions.mjs';

/** So long a call waits for a message, by the virtual clock. */
const PULL_WAIT = 5000;
const MAX_BATCH = 1000;
const MAX_ACK_IDS = 10_000;

/** The subscription of a call that takes messages. */
function opened(name, store) {
  const found = store.subscription(checkName(name, 'subscriptions'));
  if (found.detached === true)
    throw new PubsubError('FAILED_PRECONDITION', `The subscription ${name} is detached.`);
  return found;
}

function checkSeconds(seconds, least) {
  if (seconds < least || seconds > 600)
    throw invalid(`Invalid ack deadline given (${seconds} seconds): ${least} to 600 would be right.`);
}

async function pullFrom(
  { subscription, max_messages: most = 0, return_immediately: isQuick = false },
  store,
  context,
) {
  if (most <= 0)
    throw invalid(`Invalid max_messages given (max_messages=${most}): 1 or more would be right.`);
  const { clock, signal } = context;
  const end = clock.now() + (isQuick ? 0 : PULL_WAIT);
  for (let now = store; ; now = new Store(context)) {
    const found = opened(subscription, now);
    const taken = now.take(found, { most: Math.min(most, MAX_BATCH), seconds: deadlineOf(found) });
    const left = end - clock.now();
    if (taken.length > 0 || left <= 0 || signal.aborted)
      return { received_messages: taken.map(({ received }) => received) };
    await waitFor(changed, { clock, milliseconds: Math.min(left, now.nextChange ?? left) });
  }
}

/** Of exactly-once delivery clients are told which ids are over; else nobody is. */
function tellOver({ enable_exactly_once_delivery: isExact }, over) {
  if (isExact !== true || over.length === 0) return {};
  throw new PubsubError(
    'FAILED_PRECONDITION',
    'Some acknowledgement ids in the request were invalid. This could be because the ids have expired.',
    [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'PERMANENT_FAILURE_INVALID_ACK_ID',
        domain: 'pubsub.googleapis.com',
        metadata: Object.fromEntries(over.map((id) => [id, 'PERMANENT_FAILURE_INVALID_ACK_ID'])),
      },
    ],
  );
}

function checkIds(ids) {
  if (ids.length === 0) throw invalid('The request has no ack ids: at least one would be right.');
  if (ids.length > MAX_ACK_IDS)
    throw invalid(`The request has ${ids.length} ack ids: ${MAX_ACK_IDS} at most would be right.`);
}

function pullOperations(options) {
  const makeStore = (context) => new Store(context, options);
  return {
    pull: operation(makeStore, pullFrom),
    acknowledge: operation(makeStore, ({ subscription, ack_ids: ids = [] }, store) => {
      const found = opened(subscription, store);
      checkIds(ids);
      return tellOver(found, store.acknowledge(found, ids));
    }),
    modifyAckDeadline: operation(
      makeStore,
      ({ subscription, ack_ids: ids = [], ack_deadline_seconds: seconds = 0 }, store) => {
        const found = opened(subscription, store);
        checkIds(ids);
        checkSeconds(seconds, 0);
        return tellOver(found, store.extend(found, ids, seconds));
      },
    ),
    async *streamingPull({ arriving }, context) {
      try {
        yield* stream(arriving, context, makeStore);
      } catch (thrown) {
        const { code, message } = refusalOf(thrown);
        throw Object.assign(new Error(message), { code });
      }
    },
  };
}

/** What one stream may have unacknowledged, and has. */
class Flow {
  #held = new Map();

  constructor({ max_outstanding_messages: messages = 0, max_outstanding_bytes: bytes = 0 }) {
    this.messages = Number(messages) > 0 ? Number(messages) : Infinity;
    this.bytes = Number(bytes) > 0 ? Number(bytes) : Infinity;
  }

  /** How much there is room for; forgets what is no longer leased. */
  room(store, subscription) {
    let bytes = 0;
    for (const [ackId, size] of this.#held)
      if (store.leased(ackId, subscription) === undefined) this.#held.delete(ackId);
      else bytes += size;
    return {
      most: bytes >= this.bytes ? 0 : Math.min(this.messages - this.#held.size, MAX_BATCH),
      room: this.bytes - bytes,
    };
  }

  add({ size, received }) {
    this.#held.set(received.ack_id, size);
  }
}

/** One time that a stream waits for: waiting cannot be given up, and so is not begun anew for a later one. */
class Alarm {
  #clock;
  #at = Infinity;
  #rings;

  constructor(clock) {
    this.#clock = clock;
  }

  set(milliseconds) {
    if (milliseconds === undefined) return;
    const at = this.#clock.now() + milliseconds;
    if (at >= this.#at) return;
    this.#at = at;
    this.#rings = this.#clock.wait(milliseconds).then(() => {
      if (this.#at !== at) return;
      this.#at = Infinity;
      this.#rings = undefined;
    });
  }

  /** What comes first: that, or the time. */
  with(asked) {
    return this.#rings === undefined ? asked : Promise.race([asked, this.#rings]);
  }
}

async function* stream(arriving, context, makeStore) {
  const first = await arriving.next();
  if (first.done) return;
  const { subscription: name } = first.value;
  const flow = new Flow(first.value);
  let seconds = first.value.stream_ack_deadline_seconds ?? 0;
  checkSeconds(seconds, 10);
  const opening = opened(name, makeStore(context));
  yield { subscription_properties: propertiesOf(opening) };
  yield* confirm(first.value, opening, makeStore(context));
  const alarm = new Alarm(context.clock);
  let asked = arriving.next();
  for (;;) {
    const store = makeStore(context);
    const subscription = opened(name, store);
    const taken = store.take(subscription, { ...flow.room(store, subscription), seconds });
    for (const one of taken) flow.add(one);
    if (taken.length > 0)
      yield {
        received_messages: taken.map(({ received }) => received),
        subscription_properties: propertiesOf(subscription),
      };
    alarm.set(store.nextChange);
    const step = await waitFor(changed, { clock: context.clock, asked: alarm.with(asked) });
    if (context.signal.aborted) return;
    if (step === 'rung' || step === undefined) continue;
    if (step.done) return;
    asked = arriving.next();
    if (step.value.subscription)
      throw invalid('The subscription is named in the first request of a stream alone.');
    const next = step.value.stream_ack_deadline_seconds ?? 0;
    if (next !== 0) {
      checkSeconds(next, 10);
      seconds = next;
    }
    yield* confirm(step.value, subscription, makeStore(context));
  }
}

const propertiesOf = (subscription) => ({
  exactly_once_delivery_enabled: subscription.enable_exactly_once_delivery === true,
  message_ordering_enabled: subscription.enable_message_ordering === true,
});

/** Does what a request of a stream says of earlier messages. */
function* confirm(request, subscription, store) {
  const {
    ack_ids: acked = [],
    modify_deadline_ack_ids: ids = [],
    modify_deadline_seconds: times = [],
  } = request;
  if (ids.length !== times.length)
    throw invalid(
      `The request has ${ids.length} modify_deadline_ack_ids and ${times.length} modify_deadline_seconds: as many would be right.`,
    );
  for (const seconds of times) checkSeconds(seconds, 0);
  const over = store.acknowledge(subscription, acked);
  const late = ids.filter((id, index) => store.extend(subscription, [id], times[index]).length > 0);
  if (subscription.enable_exactly_once_delivery !== true) return;
  const sides = (all, invalidIds) => ({
    ack_ids: all.filter((id) => !invalidIds.includes(id)),
    invalid_ack_ids: invalidIds,
  });
  if (acked.length > 0) yield { acknowledge_confirmation: sides(acked, over) };
  if (ids.length > 0) yield { modify_ack_deadline_confirmation: sides(ids, late) };
}

export const { pull, acknowledge, modifyAckDeadline, streamingPull } = pullOperations({});
const losing = pullOperations({ losesFirst: true });
export const acknowledgeLate = losing.acknowledge;
export const streamingPullLate = losing.streamingPull;
