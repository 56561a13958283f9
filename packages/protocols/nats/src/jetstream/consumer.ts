import { AckFloor, type Place } from './ack-floor.js';
import type { AckKind } from './acknowledgement.js';
import { publishAdvisory } from './advisory.js';
import { ackWaitOf, filtersOf, type ConsumerConfig } from './consumer-config.js';
import { sampleAck } from './ack-samples.js';
import { startOf } from './consumer-position.js';
import { SubjectFilter } from './filters.js';
import { headersOf } from './headers-only.js';
import { PendingAcks } from './pending-acks.js';
import { PullRequests, statusMessage, type PullSource } from './pull-requests.js';
import { ReplayPace } from './replay-pace.js';
import { PushTarget } from './push-target.js';
import { ReadPosition } from './read-position.js';
import type { SavedConsumer } from './saved-consumer.js';
import type { StoredMessage } from './stored-message.js';
import type { Stream } from './stream.js';
import type { Surroundings } from './surroundings.js';
import { UseWatch } from './use-watch.js';

/** So many messages are delivered in one turn of the event loop. */
const AT_ONCE = 128;

/** A consumer of a stream: how far it is, what it has delivered, and what of that is acknowledged. */
export class Consumer implements PullSource {
  readonly name: string;
  config: ConsumerConfig;
  readonly created: number;
  readonly pulls: PullRequests;
  readonly pending: PendingAcks;
  readonly #stream: Stream;
  readonly #around: Surroundings;
  readonly #filter: SubjectFilter;
  /** How often what was not acknowledged was delivered again. */
  readonly counts = new Map<number, number>();
  #push: PushTarget | undefined;
  readonly position: ReadPosition;
  delivered = 0;
  lastDelivered = 0;
  readonly #floor: AckFloor;
  #lastAck = 0;
  readonly #use: UseWatch;
  #isScheduled = false;
  #isStopped = false;
  readonly #replay: ReplayPace;

  constructor(
    stream: Stream,
    name: string,
    config: ConsumerConfig,
    around: Surroundings,
    saved?: SavedConsumer,
  ) {
    this.#stream = stream;
    this.#around = around;
    this.name = name;
    this.config = config;
    this.#filter = new SubjectFilter(filtersOf(config));
    const { messages } = stream;
    const { sequence, first = [] } =
      saved === undefined
        ? startOf(config, this.#filter, messages)
        : { sequence: saved.next, first: saved.first };
    this.position = new ReadPosition(messages, this.#filter, sequence, first);
    this.created = saved?.created ?? around.clock.now();
    const replayEnd = config.replay_policy === 'original' ? messages.lastSequence : 0;
    this.#replay = new ReplayPace(around.clock, replayEnd, () => this.wake());
    this.pulls = new PullRequests(around, this);
    this.pending = new PendingAcks(around.clock, () => this.wake());
    this.#floor = new AckFloor(this.pending, this.counts);
    this.#use = new UseWatch(
      around.clock,
      () => (this.#push === undefined ? this.pulls.isHeard : this.#push.isActive),
      () => this.#leave(),
    );
    if (saved !== undefined) this.#restore(saved);
    this.lastDelivered = this.position.before;
    this.#makePush();
    this.#use.watch(config.inactive_threshold);
    this.wake();
  }

  get isPull(): boolean {
    return this.#push === undefined;
  }

  get isBound(): boolean {
    return this.#push?.isActive === true;
  }

  /** How many messages fit and are not delivered. */
  get unread(): number {
    return this.position.unread;
  }

  get available(): number {
    return this.unread + this.pending.again.size;
  }

  /** When it delivered last and was acknowledged last; milliseconds, 0: never. */
  get times(): { readonly delivered: number; readonly acknowledged: number } {
    return { delivered: this.delivered === 0 ? 0 : this.#use.last, acknowledged: this.#lastAck };
  }

  /** Up to where all is acknowledged. */
  get floor(): Place {
    return this.#floor.place;
  }

  get filters(): readonly string[] {
    return this.#filter.filters;
  }

  heartbeatLines(): string {
    return `Nats-Last-Consumer: ${this.delivered}\r\nNats-Last-Stream: ${this.lastDelivered}\r\n`;
  }

  save(): SavedConsumer {
    const { name, config, created, delivered, floor } = this;
    const pending = Array.from(
      this.pending.entries.values(),
      (entry) => [entry.sequence, entry.delivered] as const,
    );
    return {
      name,
      config,
      created,
      ...this.position.save(),
      delivered,
      floor,
      pending,
      counts: [...this.counts],
    };
  }

  /** Puts another configuration in place. */
  update(config: ConsumerConfig): void {
    const isMoved = config.deliver_subject !== this.config.deliver_subject;
    this.config = config;
    if (isMoved) this.#makePush();
    this.#use.watch(config.inactive_threshold);
    this.wake();
  }

  /** Somebody asks for messages. */
  pull(reply: string, payload: Buffer): void {
    this.#use.used();
    if (this.#push !== undefined) {
      this.#around.send(reply, statusMessage(reply, '409 Consumer is push based'));
    } else if (this.pulls.add(reply, payload)) this.wake();
  }

  /** Subscriptions have come or gone. */
  look(): void {
    if (this.#push?.look() !== true) return;
    this.#use.used();
    this.wake();
  }

  /** The answer to a question of flow control. */
  flowAnswered(subject: string): void {
    if (this.#push?.answered(subject) === true) this.wake();
  }

  /** The stream has a new message, which may be gone already. */
  stored(message: StoredMessage): void {
    this.position.stored(message);
  }

  /** A message is gone. */
  removed(message: StoredMessage): void {
    if (this.position.removed(message)) return;
    const { sequence } = message;
    if (this.pending.remove(sequence)) this.#floor.move([undefined, sequence], this.#end);
    this.counts.delete(sequence);
  }

  /** Many messages are gone. */
  purged(): void {
    const { messages } = this.#stream;
    this.position.purged();
    this.#floor.purged((sequence) => messages.get(sequence) !== undefined, this.#end);
    this.lastDelivered = this.position.before;
    this.wake();
  }

  /** Whether a message is still to be delivered or acknowledged. */
  wants({ sequence, subject }: StoredMessage): boolean {
    if (!this.#filter.fits(subject)) return false;
    return this.position.isAhead(sequence) || this.pending.entries.has(sequence);
  }

  /** Takes an acknowledgement. */
  acknowledge(kind: AckKind, sequence: number, delivered: number, deliveries: number): void {
    this.#use.used();
    switch (kind.type) {
      case 'ack':
        sampleAck(this.#around, this.#path, this.config, this.pending.entries.get(sequence), deliveries);
        this.#settle(sequence, delivered);
        break;
      case 'nak':
        if (!this.pending.entries.has(sequence)) break;
        if (kind.delay > 0) this.pending.delay(sequence, kind.delay);
        else this.pending.again.add(sequence);
        this.#advise('nak', delivered, sequence, deliveries);
        break;
      case 'progress':
        if (this.pending.entries.has(sequence) && !this.pending.again.has(sequence)) {
          this.pending.delay(sequence, ackWaitOf(this.config, deliveries - 1));
        }
        break;
      case 'term':
        this.#settle(sequence, delivered);
        this.#advise('terminated', delivered, sequence, deliveries);
    }
    this.wake();
  }

  /** Delivers, soon, what may be delivered. */
  wake(): void {
    if (this.#isScheduled || this.#isStopped) return;
    if (this.#push === undefined ? this.pulls.size === 0 : !this.#push.isReady) return;
    this.#isScheduled = true;
    this.#around.later(() => {
      this.#isScheduled = false;
      this.#run();
    });
  }

  /** @param isDeleted - whether who waits is told */
  stop(isDeleted: boolean): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#around.countConsumers(-1);
    this.pulls.stop(isDeleted ? '409 Consumer Deleted' : undefined);
    this.pending.stop();
    this.#push?.stop();
    this.#use.stop();
    this.#replay.stop();
  }

  get #path(): readonly [stream: string, consumer: string] {
    return [this.#stream.config.name, this.name];
  }

  /** Where it is now. */
  get #end(): Place {
    return [this.delivered, this.position.before];
  }

  #run(): void {
    for (let count = 0; count < AT_ONCE; count += 1) {
      if (this.#isStopped) return;
      const result = this.#deliverNext();
      if (result === 'delivered') continue;
      if (result === 'nothing') this.pulls.endOneShots();
      return;
    }
    this.wake();
  }

  #deliverNext(): 'delivered' | 'nothing' | 'waits' {
    if (this.#push === undefined ? this.pulls.size === 0 : !this.#push.isReady) return 'waits';
    const found = this.#findAgain() ?? this.#findNew();
    if (typeof found === 'string') return found;
    const { message, deliveries } = found;
    if (deliveries === 1 && this.#replay.holds(message)) return 'waits';
    const unread = this.unread - (deliveries === 1 ? 1 : 0);
    const { sequence, subject, time } = message;
    const { name } = this.#stream.config;
    const reply = `$JS.ACK.${name}.${this.name}.${deliveries}.${sequence}.${this.delivered + 1}.${time}000000.${unread}`;
    const content = this.config.headers_only === true ? headersOf(message) : message;
    const { headerBytes, payload } = content;
    const size = subject.length + reply.length + (headerBytes?.length ?? 0) + payload.length;
    const to = this.#push?.subject ?? this.pulls.take(size);
    if (to === undefined) return 'waits';
    this.#count(sequence, deliveries);
    const isSent = this.#around.send(to, { subject, reply, headerBytes, payload });
    if (!isSent && this.pending.entries.has(sequence)) this.pending.again.add(sequence);
    this.#push?.sent(size);
    if (this.config.ack_policy === 'none') this.#stream.acknowledged([sequence]);
    return 'delivered';
  }

  /** Takes account of a delivery. */
  #count(sequence: number, deliveries: number): void {
    this.delivered += 1;
    this.#use.used();
    if (deliveries === 1) this.lastDelivered = this.position.delivered(sequence);
    else {
      this.pending.again.delete(sequence);
      this.counts.set(sequence, deliveries - 1);
    }
    if (this.config.ack_policy === 'none') this.#floor.place = [this.delivered, sequence];
    else this.pending.add(sequence, this.delivered, ackWaitOf(this.config, deliveries - 1));
  }

  #findAgain(): { readonly message: StoredMessage; readonly deliveries: number } | undefined {
    const { max_deliver: most } = this.config;
    for (const sequence of this.pending.again) {
      const message = this.#stream.messages.get(sequence);
      const deliveries = (this.counts.get(sequence) ?? 0) + 2;
      if (message === undefined) this.pending.remove(sequence);
      else if (most > 0 && deliveries > most) {
        this.pending.remove(sequence);
        publishAdvisory(this.#around, this.#path, 'max_deliver', { stream_seq: sequence, deliveries: most });
      } else return { message, deliveries };
    }
    return undefined;
  }

  #findNew(): { readonly message: StoredMessage; readonly deliveries: 1 } | 'nothing' | 'waits' {
    const { max_ack_pending: most = 0 } = this.config;
    if (most > 0 && this.pending.size >= most) return 'waits';
    const message = this.position.find();
    return message === undefined ? 'nothing' : { message, deliveries: 1 };
  }

  /** Tells of what has become of a delivery. */
  #advise(type: 'nak' | 'terminated', delivered: number, sequence: number, deliveries: number): void {
    const facts = { consumer_seq: delivered, stream_seq: sequence, deliveries };
    publishAdvisory(this.#around, this.#path, type, facts);
  }

  #settle(sequence: number, delivered: number): void {
    this.#lastAck = this.#around.clock.now();
    this.#stream.acknowledged(this.#floor.settle(this.config.ack_policy, [delivered, sequence], this.#end));
  }

  #makePush(): void {
    this.#push?.stop();
    if (this.config.deliver_subject === undefined) return;
    this.#push = new PushTarget(this.#around, this.config, this.#path.join('.'), () => this.heartbeatLines());
  }

  /** Nobody uses it any more. */
  #leave(): void {
    this.#stream.consumers.delete(this.name);
    this.stop(true);
    this.#stream.left();
  }

  #restore({ delivered, floor, pending, counts }: SavedConsumer): void {
    this.delivered = delivered;
    this.#floor.place = floor;
    for (const [sequence, count] of counts) this.counts.set(sequence, count);
    for (const [sequence, number] of pending) {
      this.pending.add(sequence, number, ackWaitOf(this.config, this.counts.get(sequence) ?? 0));
    }
  }
}
