import { messageOf, type TemplateScope } from '@backlot/core/plugin';
import { JobQueue, KeptBytes, timers, type Timer } from '@backlot/kit';
import type { IncomingRequest } from './incoming-request.js';
import { representMock } from './matcher.js';
import type { CoapMessage } from './message.js';
import { diagnose, type Representation } from './representation.js';
import type { Listener, Responder } from './responder.js';
import type { CoapContext, LiveCoapMock } from './shape.js';
import { classOf, CODE } from './wire/codes.js';
import type { Block } from './wire/block.js';

const MAX_ENTRIES = 10_000;
const MAX_OF_CLIENT = 64;
/** Of their requests and of what they were told last, together. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Of the notifications to who has asked with a NON every fifth is confirmable, to learn whether somebody is there. */
const CONFIRM_EACH = 5;
const DAY = 24 * 60 * 60 * 1000;

interface Observer extends Listener {
  readonly message: CoapMessage;
  readonly isConfirmable: boolean;
  readonly block2: Block | undefined;
  /** What it takes beside the answer. */
  readonly size: number;
  mock: LiveCoapMock;
  last: Representation;
  count: number;
  /** The message id of the newest notification that is not confirmable. */
  lastMessageId: number | undefined;
  isUnderWay: boolean;
  /** What is to be told once the one under way has arrived. */
  next: Representation | undefined;
}

/** Clients that are told when what they have asked for changes (RFC 7641). */
export class Observers {
  readonly #context: CoapContext;
  readonly #responder: Responder;
  readonly #clients = new Map<string, Map<string, Observer>>();
  readonly #daily: Timer;
  /** Telling thousands takes longer than others should wait. */
  readonly #jobs: JobQueue;
  /** Observers stay for long, most of them small: their octets are not to hold on to what else came about then. */
  readonly #kept = new KeptBytes();
  #count = 0;
  #bytes = 0;
  #sequence = 0;
  /** Whether something has changed since all observers were begun to be looked at. */
  #isDue = false;
  #isReviewing = false;
  readonly #unsubscribe: () => void;

  constructor(context: CoapContext, responder: Responder) {
    this.#context = context;
    this.#responder = responder;
    this.#jobs = new JobQueue({
      onError: (thrown) => context.log.error(`observers were not told: ${messageOf(thrown)}`, thrown),
    });
    this.#unsubscribe = context.mocks.onChange(() => this.#changed());
    // RFC 7641 section 4.5: a client that has gone away must be found out within a day.
    this.#daily = timers.every(
      DAY,
      () => this.#jobs.add(this.#each((observer) => this.#tell(observer, observer.last, true))),
      { unref: true },
    );
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Adds the sender of a request that a mock has answered.
   *
   * @returns the sequence number for the answer; `undefined` when there are too many observers already
   */
  add(
    request: IncomingRequest,
    message: CoapMessage,
    mock: LiveCoapMock,
    answer: Representation,
  ): number | undefined {
    const { remote, send, packet, transferKey, options, isConfirmable } = request;
    const token = this.#kept.copy(packet.token);
    this.remove(remote, token);
    let ofClient = this.#clients.get(remote);
    const size = packet.data.length + transferKey.length;
    if (this.#count >= MAX_ENTRIES || (ofClient?.size ?? 0) >= MAX_OF_CLIENT) return undefined;
    if (this.#bytes + size + answer.payload.length > MAX_BYTES) return undefined;
    if (ofClient === undefined) this.#clients.set(remote, (ofClient = new Map<string, Observer>()));
    ofClient.set(token.toString('hex'), {
      remote,
      send,
      token,
      transferKey,
      message: message.copied(this.#kept),
      isConfirmable,
      block2: options.block2,
      size,
      mock,
      last: answer,
      count: 0,
      lastMessageId: undefined,
      isUnderWay: false,
      next: undefined,
    });
    this.#count += 1;
    this.#bytes += size + answer.payload.length;
    return this.#nextNumber();
  }

  remove(remote: string, token: Buffer): void {
    const observer = this.#clients.get(remote)?.get(token.toString('hex'));
    if (observer !== undefined) this.#drop(observer);
  }

  /** A client does not want a notification that was not confirmable. */
  reset(remote: string, messageId: number): void {
    for (const observer of this.#clients.get(remote)?.values() ?? []) {
      if (observer.lastMessageId === messageId) return this.#drop(observer);
    }
  }

  /** Tells those who observe a path. @returns how many there are */
  push(path: string, answer: Representation): number {
    let count = 0;
    for (const ofClient of this.#clients.values())
      for (const { message } of ofClient.values()) if (message.path === path) count += 1;
    if (count > 0)
      this.#jobs.add(
        this.#each((observer) => {
          if (observer.message.path === path) this.#tell(observer, answer, false);
        }),
      );
    return count;
  }

  stop(): void {
    this.#unsubscribe();
    this.#daily.cancel();
    this.#clients.clear();
    this.#count = 0;
    this.#bytes = 0;
  }

  /** Many changes in a row are one change. */
  #changed(): void {
    if (this.#count === 0) return;
    this.#isDue = true;
    if (this.#isReviewing) return;
    this.#isReviewing = true;
    queueMicrotask(() => this.#jobs.add(this.#reviewAll()));
  }

  /** Looks at all of them, and once more when something has changed meanwhile. */
  *#reviewAll(): Generator<undefined, void> {
    try {
      while (this.#isDue) {
        this.#isDue = false;
        const live = new Set<unknown>(this.#context.mocks.values());
        yield* this.#each((observer) => this.#review(observer, live));
      }
    } finally {
      this.#isReviewing = false;
    }
  }

  *#each(callback: (observer: Observer) => void): Generator<undefined, void> {
    for (const ofClient of [...this.#clients.values()]) {
      for (const observer of [...ofClient.values()]) {
        // It may have gone while others were let in.
        if (!this.#isListed(observer)) continue;
        try {
          callback(observer);
        } catch (thrown) {
          this.#context.log.error(
            `a notification to ${observer.remote} failed: ${messageOf(thrown)}`,
            thrown,
          );
          this.#end(observer, diagnose(CODE.INTERNAL_SERVER_ERROR, messageOf(thrown)));
        }
        yield;
      }
    }
  }

  #review(observer: Observer, live: ReadonlySet<unknown>): void {
    const { message } = observer;
    const mock = this.#context.mocks.index.findFirst(message, (each) => live.has(each));
    if (mock === undefined) return this.#end(observer, diagnose(CODE.NOT_FOUND, 'the mock is gone'));
    if (mock.compiled === observer.mock.compiled) return;
    observer.mock = mock as unknown as LiveCoapMock;
    const answer = representMock(observer.mock.compiled, message, (template) =>
      this.#context.templates.render(template, this.#scopeFor(observer)),
    );
    if (classOf(answer.code) !== 2) return this.#end(observer, answer);
    if (!answer.isEqualTo(observer.next ?? observer.last)) this.#tell(observer, answer, false);
  }

  #tell(observer: Observer, answer: Representation, isForced: boolean): void {
    if (observer.isUnderWay) {
      // RFC 7641 section 4.5.2: one at a time, and of several that wait only the newest counts.
      observer.next = answer;
      return;
    }
    this.#bytes += answer.payload.length - observer.last.payload.length;
    observer.last = answer;
    observer.count += 1;
    const options = { observe: this.#nextNumber(), block2: observer.block2 };
    if (!isForced && !observer.isConfirmable && observer.count % CONFIRM_EACH !== 0) {
      observer.lastMessageId = this.#responder.notify(observer, answer, options, undefined);
      return;
    }
    observer.isUnderWay = true;
    this.#responder.notify(observer, answer, options, (delivery) => {
      observer.isUnderWay = false;
      const { next } = observer;
      observer.next = undefined;
      if (delivery !== 'acknowledged') this.#drop(observer);
      else if (next !== undefined && this.#isListed(observer)) this.#tell(observer, next, false);
    });
  }

  /** RFC 7641 section 4.2: an error is the last that an observer is told, and has no sequence number. */
  #end(observer: Observer, answer: Representation): void {
    this.#drop(observer);
    this.#responder.notify(observer, answer, {}, observer.isConfirmable ? () => undefined : undefined);
  }

  #drop(observer: Observer): void {
    if (!this.#isListed(observer)) return;
    const ofClient = this.#clients.get(observer.remote);
    ofClient?.delete(observer.token.toString('hex'));
    if (ofClient?.size === 0) this.#clients.delete(observer.remote);
    this.#count -= 1;
    this.#bytes -= observer.size + observer.last.payload.length;
  }

  #isListed(observer: Observer): boolean {
    return this.#clients.get(observer.remote)?.get(observer.token.toString('hex')) === observer;
  }

  /** RFC 7641 section 3.4: 24 bits that go round; one sequence for all, so that it also grows for who asks anew. */
  #nextNumber(): number {
    this.#sequence = (this.#sequence + 1) & 0xffffff;
    return this.#sequence;
  }

  /** What templates see, as in the answer to the request itself. */
  #scopeFor({ message, mock }: Observer): TemplateScope {
    const scope = this.#context.templates.scope(message);
    const params = mock.compiled.params?.(message) ?? {};
    return {
      request: { get: (name) => (name === 'params' ? params : scope.request.get(name)) },
      now: () => scope.now(),
      random: () => scope.random(),
      state: (key) => scope.state(key),
      vars: scope.vars,
      seq: (name) => scope.seq(name),
    };
  }
}
