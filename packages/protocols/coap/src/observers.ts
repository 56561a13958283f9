import { messageOf, runInSlices, type TemplateScope } from '@backlot/core/plugin';
import { KeptBytes, timers, type Timer } from '@backlot/kit';
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
/** Of the notifications to who has asked with a NON every fifth is confirmable, to learn whether somebody is there. */
const CONFIRM_EACH = 5;
const DAY = 24 * 60 * 60 * 1000;

interface Observer extends Listener {
  readonly message: CoapMessage;
  readonly isConfirmable: boolean;
  readonly block2: Block | undefined;
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
  /** Observers stay for long, most of them small: their octets are not to hold on to what else came about then. */
  readonly #kept = new KeptBytes();
  #count = 0;
  #sequence = 0;
  /** How many changes there have been. */
  #changes = 0;
  #isReviewing = false;
  readonly #unsubscribe: () => void;

  constructor(context: CoapContext, responder: Responder) {
    this.#context = context;
    this.#responder = responder;
    this.#unsubscribe = context.mocks.onChange(() => this.#changed());
    // RFC 7641 section 4.5: a client that has gone away must be found out within a day.
    this.#daily = timers.every(
      DAY,
      () => void runInSlices(this.#each((observer) => this.#tell(observer, observer.last, true))),
      {
        unref: true,
      },
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
    if (this.#count >= MAX_ENTRIES || (ofClient?.size ?? 0) >= MAX_OF_CLIENT) return undefined;
    if (ofClient === undefined) this.#clients.set(remote, (ofClient = new Map<string, Observer>()));
    ofClient.set(token.toString('hex'), {
      remote,
      send,
      token,
      transferKey,
      message: message.copied(this.#kept),
      isConfirmable,
      block2: options.block2,
      mock,
      last: answer,
      count: 0,
      lastMessageId: undefined,
      isUnderWay: false,
      next: undefined,
    });
    this.#count += 1;
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

  stop(): void {
    this.#unsubscribe();
    this.#daily.cancel();
    this.#clients.clear();
    this.#count = 0;
  }

  /** Many changes in a row are one change. */
  #changed(): void {
    if (this.#count === 0) return;
    this.#changes += 1;
    if (this.#isReviewing) return;
    this.#isReviewing = true;
    queueMicrotask(() => void this.#reviewAll());
  }

  /** Thousands are told in slices; when there is a change meanwhile, all are looked at once more. */
  async #reviewAll(): Promise<void> {
    let reviewed: number;
    do {
      reviewed = this.#changes;
      const live = new Set<unknown>(this.#context.mocks.values());
      const isNewest = (): boolean => reviewed === this.#changes;
      await runInSlices(this.#each((observer) => this.#review(observer, live), isNewest));
    } while (reviewed !== this.#changes);
    this.#isReviewing = false;
  }

  *#each(callback: (observer: Observer) => void, isWanted = (): boolean => true): Generator<undefined, void> {
    for (const ofClient of [...this.#clients.values()]) {
      for (const observer of [...ofClient.values()]) {
        if (!isWanted()) return;
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
