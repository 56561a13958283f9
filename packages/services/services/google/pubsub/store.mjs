import { makeBell } from '../../../waiting/index.mjs';
import { noResource } from './errors.mjs';
import { compileFilter } from './filter.mjs';

/** Rings when there may be something to deliver. */
export const changed = makeBell();

/** So many messages are kept that no subscription needs, for tests and for {@link Store.seek}. */
const MAX_KEPT = 10_000;
const WEEK = 604_800;
const MAX_FILTERS = 1000;
const filters = new Map();
/** By the rows of deliveries: when a deadline or pause of one ends at the earliest, when one is kept too long, and how many there were then. */
const next = new WeakMap();

export const secondsOf = (duration, otherwise) =>
  duration === undefined ? otherwise : Number.parseFloat(duration);

function filterOf(text = '') {
  if (text === '') return () => true;
  let passes = filters.get(text);
  if (passes === undefined) {
    passes = compileFilter(text);
    if (filters.size >= MAX_FILTERS) filters.clear();
    filters.set(text, passes);
  }
  return passes;
}

/** The data of one call. Each message has a delivery for each subscription that gets it, which goes with the acknowledgement. */
export class Store {
  #context;
  #losesFirst;

  /** @param losesFirst - whether the first acknowledgement of each message is lost */
  constructor(context, { losesFirst = false } = {}) {
    this.#context = context;
    this.#losesFirst = losesFirst;
    const of = (name) => context.collection(`google:${name}`);
    this.topics = of('topics');
    this.subscriptions = of('subscriptions');
    this.messages = of('messages');
    this.deliveries = of('deliveries');
    if (!next.has(this.deliveries)) next.set(this.deliveries, { at: 0, end: 0, size: 0 });
    this.#settle();
  }

  get now() {
    return this.#context.clock.now();
  }

  topic(name = '') {
    if (!this.topics.has(name)) throw noResource(name);
    return this.topics.get(name);
  }

  subscription(name = '') {
    if (!this.subscriptions.has(name)) throw noResource(name);
    return this.subscriptions.get(name);
  }

  subscriptionsOf(topic) {
    return this.subscriptions.list().filter((one) => one.topic === topic && one.detached !== true);
  }

  /** Writes messages that have been checked. @returns their ids */
  publish(topic, messages) {
    const targets = this.subscriptionsOf(topic);
    const ids = messages.map(({ data = '', attributes = {}, ordering_key: key = '' }) => {
      const published = new Date(this.now).toISOString();
      const row = this.#make(this.messages, { topic, data, attributes, ordering_key: key, published });
      for (const one of targets) if (filterOf(one.filter)(attributes)) this.#deliver(one, row);
      return String(row.id);
    });
    if (this.messages.size > MAX_KEPT) this.#forget(MAX_KEPT - MAX_KEPT / 10);
    changed.ring();
    return ids;
  }

  /**
   * Leases messages that wait.
   *
   * @param most - so many messages at most
   * @param room - so many bytes at most, but for the first
   * @param seconds - the deadline for their acknowledgement
   */
  take(subscription, { most, room = Infinity, seconds }) {
    const { name, enable_message_ordering: isOrdered = false, dead_letter_policy: policy } = subscription;
    const { now } = this;
    const found = [];
    const blocked = new Set();
    let bytes = 0;
    for (const row of this.deliveries.values()) {
      if (row.subscription !== name || row.state !== 'waiting') continue;
      const key = isOrdered ? row.ordering_key : '';
      if (blocked.has(key)) continue;
      if (row.at > now) {
        if (key !== '') blocked.add(key);
        continue;
      }
      if (found.length >= most || (found.length > 0 && bytes + row.size > room)) break;
      // A test may have taken it away.
      if (!this.messages.has(row.message)) continue;
      bytes += row.size;
      found.push(row);
    }
    return found.map((row) => {
      const attempts = row.attempts + 1;
      this.deliveries.update(row.id, { state: 'leased', attempts, at: now + seconds * 1000 });
      this.#note(now + seconds * 1000);
      const message = this.messages.get(row.message);
      return {
        size: row.size,
        received: {
          ack_id: ackIdOf(row.id, attempts),
          message: {
            data: message.data,
            attributes: message.attributes,
            message_id: row.message,
            publish_time: message.published,
            ordering_key: message.ordering_key,
          },
          ...(policy !== undefined && { delivery_attempt: attempts }),
        },
      };
    });
  }

  /** What was delivered under an id, as long as it is leased by that. */
  leased(ackId, subscription) {
    const [, id, attempts] = /^(.*)#(\d+)$/s.exec(Buffer.from(ackId, 'base64url').toString()) ?? [];
    if (id === undefined || !this.deliveries.has(id)) return undefined;
    const row = this.deliveries.get(id);
    const isHeld = row.state === 'leased' && row.attempts === Number(attempts);
    return isHeld && row.subscription === subscription.name ? row : undefined;
  }

  /** @returns the ids that are over */
  acknowledge(subscription, ackIds) {
    const over = this.#each(subscription, ackIds, (row) => {
      if (this.#losesFirst && row.attempts === 1) this.#giveBack(row, subscription, this.now);
      else if (subscription.retain_acked_messages === true)
        this.deliveries.update(row.id, { state: 'acked' });
      else this.deliveries.remove(row.id);
      this.#note();
    });
    if (ackIds.length > 0) changed.ring();
    return over;
  }

  /** Gives more time, or with 0 the messages back. @returns the ids that are over */
  extend(subscription, ackIds, seconds) {
    const over = this.#each(subscription, ackIds, (row) => {
      const at = this.now + seconds * 1000;
      this.#note(at);
      if (seconds > 0) this.deliveries.update(row.id, { at });
      else this.#fail(row, subscription);
    });
    if (seconds === 0) changed.ring();
    return over;
  }

  /** Delivers again what was published from a time on, as far as it was kept, and nothing from before. */
  seek(subscription, time) {
    const { name, topic, filter } = subscription;
    const kept = new Set();
    for (const row of this.deliveries.list())
      if (row.subscription === name) {
        kept.add(row.message);
        this.deliveries.remove(row.id);
      }
    const retention = this.topics.has(topic)
      ? secondsOf(this.topics.get(topic).message_retention_duration, 0)
      : 0;
    const since = this.now - retention * 1000;
    for (const row of this.messages.list()) {
      const published = Date.parse(row.published);
      if (published < time || !(kept.has(String(row.id)) || (row.topic === topic && published > since)))
        continue;
      if (filterOf(filter)(row.attributes)) this.#deliver(subscription, row);
    }
    changed.ring();
  }

  removeSubscription({ name }) {
    this.dropDeliveries(name);
    this.subscriptions.remove(name);
    changed.ring();
  }

  dropDeliveries(name) {
    for (const row of this.deliveries.list()) if (row.subscription === name) this.deliveries.remove(row.id);
  }

  /** Milliseconds until a deadline or a pause may be over; `undefined` when none will. */
  get nextChange() {
    const { at } = next.get(this.deliveries);
    return at === Infinity ? undefined : Math.max(at - this.now, 1);
  }

  /** Looks again at what is over, since that depends on what has changed. */
  recheck() {
    next.get(this.deliveries).at = 0;
  }

  /** Remembers when something may be over, and how many deliveries there are. */
  #note(at = Infinity, end = Infinity) {
    const known = next.get(this.deliveries);
    known.at = Math.min(known.at, at);
    known.end = Math.min(known.end, end);
    known.size = this.deliveries.size;
  }

  #each(subscription, ackIds, act) {
    const over = [];
    for (const ackId of ackIds) {
      const row = this.leased(ackId, subscription);
      if (row === undefined) over.push(ackId);
      else act(row);
    }
    return over;
  }

  #deliver({ name, message_retention_duration: retention }, { id, data, ordering_key: key, published }) {
    this.#make(this.deliveries, {
      id: `${name}#${id}`,
      subscription: name,
      message: String(id),
      ordering_key: key,
      size: data.length,
      published: Date.parse(published),
      state: 'waiting',
      attempts: 0,
      at: this.now,
    });
    this.#note(Infinity, Date.parse(published) + secondsOf(retention, WEEK) * 1000);
  }

  #drop(id) {
    this.deliveries.remove(id);
    this.#note();
  }

  #make(rows, row) {
    try {
      return rows.create(row);
    } catch (thrown) {
      if (thrown.code !== 'too_large' || this.#forget(0) === 0) throw thrown;
      return rows.create(row);
    }
  }

  /** Drops the oldest messages that nobody waits for. @returns how many */
  #forget(most) {
    const needed = new Set();
    for (const { message } of this.deliveries.values()) needed.add(message);
    let dropped = 0;
    for (const { id } of this.messages.list()) {
      if (this.messages.size <= most) break;
      if (needed.has(String(id))) continue;
      this.messages.remove(String(id));
      dropped += 1;
    }
    return dropped;
  }

  /** Ends what was not acknowledged in time, and what is kept too long. */
  #settle() {
    const { now } = this;
    const known = next.get(this.deliveries);
    // Mostly nothing is over, and a look at all of them would be in vain.
    if (now < known.at && now < known.end && known.size === this.deliveries.size) return;
    const kept = new Map();
    for (const one of this.subscriptions.values())
      kept.set(one.name, secondsOf(one.message_retention_duration, WEEK) * 1000);
    const over = [];
    let [soonest, firstEnd] = [Infinity, Infinity];
    for (const row of this.deliveries.values()) {
      const end = row.published + (kept.get(row.subscription) ?? -Infinity);
      const isKept = end > now;
      if (!isKept || (row.state === 'leased' && row.at <= now)) over.push({ id: row.id, isKept });
      else {
        firstEnd = Math.min(firstEnd, end);
        if (row.state !== 'acked' && row.at > now) soonest = Math.min(soonest, row.at);
      }
    }
    known.at = soonest;
    known.end = firstEnd;
    known.size = this.deliveries.size;
    for (const { id, isKept } of over) {
      const row = this.deliveries.get(id);
      if (!isKept) this.#drop(id);
      // One that has failed takes others of its key back.
      else if (row.state === 'leased') this.#fail(row, this.subscriptions.get(row.subscription));
    }
    if (over.length > 0) changed.ring();
  }

  /** A message was not acknowledged: it is delivered again, or goes to the topic for those. */
  #fail(row, subscription) {
    const { name, retry_policy: retry, dead_letter_policy: dead } = subscription;
    const isDead = dead !== undefined && row.attempts >= (dead.max_delivery_attempts || 5);
    if (isDead && this.topics.has(dead.dead_letter_topic) && this.messages.has(row.message)) {
      const message = this.messages.get(row.message);
      this.#drop(row.id);
      this.publish(dead.dead_letter_topic, [
        {
          ...message,
          attributes: {
            ...message.attributes,
            CloudPubSubDeadLetterSourceDeliveryCount: String(row.attempts),
            CloudPubSubDeadLetterSourceSubscription: name.split('/')[3],
            CloudPubSubDeadLetterSourceSubscriptionProject: name.split('/')[1],
            CloudPubSubDeadLetterSourceTopicPublishTime: message.published,
          },
        },
      ]);
      return;
    }
    this.#giveBack(row, subscription, this.now + pauseOf(retry, row.attempts) * 1000);
  }

  #giveBack(row, { name, enable_message_ordering: isOrdered }, at) {
    this.deliveries.update(row.id, { state: 'waiting', at });
    if (at > this.now) this.#note(at);
    if (isOrdered !== true || row.ordering_key === '') return;
    // What came after it is delivered again as well.
    let isAfter = false;
    for (const one of this.deliveries.list()) {
      if (isAfter && one.subscription === name && one.ordering_key === row.ordering_key)
        if (one.state === 'leased') this.deliveries.update(one.id, { state: 'waiting', at });
      if (one.id === row.id) isAfter = true;
    }
  }
}

const ackIdOf = (id, attempts) => Buffer.from(`${id}#${attempts}`).toString('base64url');

/** How long a message is not delivered again, in seconds. */
function pauseOf(retry, attempts) {
  if (retry === undefined) return 0;
  const least = secondsOf(retry.minimum_backoff, 10);
  const most = secondsOf(retry.maximum_backoff, 600);
  return Math.min(least * 2 ** Math.min(attempts - 1, 30), most);
}
