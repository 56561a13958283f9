import { LATER, type CompiledMock } from '../contract/matcher.js';
import type { Log } from '../contract/log.js';
import type { Message, Reply } from '../contract/message.js';
import type * as contract from '../contract/outcome.js';
import type { LoggedExchange } from '../journal/logged-exchange.js';
import { ABORTED, ASKED, FAULTED, UNMATCHED as NO_MATCH, type KnownParts } from '../journal/ring.js';
import { MAX_WHOLE_BODY, recordBytes, retainMessage, retainReply } from '../journal/retain.js';
import { EffectiveMock } from '../mocks/live-mock.js';
import { hashText } from '../random/random.js';
import { realElapsed } from '../time/clock-real.js';
import type { Waiting } from '../time/clock.js';
import { MockMatch } from './match.js';
import { rollDelay, rollError } from './roll-fault.js';
import type { ExchangeUnderWay, KindRuntime, LatestExchange } from './runtime.js';

const UNMATCHED: contract.Unmatched = Object.freeze({ type: 'unmatched' });
const UNDECIDED: contract.Undecided = Object.freeze({ type: 'undecided' });
const PROCEED: contract.Proceed = Object.freeze({ type: 'proceed' });
const ABORTED_OUTCOME: contract.Aborted = Object.freeze({ type: 'aborted' });
const NO_MISSES: readonly contract.NearMiss[] = Object.freeze([]);

/**
 * One message on its way. It is the record that the journal takes its parts from as well: a record of its own beside it was an
 * eighth of what an exchange costs (0.22 instead of 0.19 microseconds).
 */
export class Exchange implements contract.Exchange, LoggedExchange, LatestExchange, ExchangeUnderWay {
  message: Message;
  reply: Reply | undefined = undefined;
  readonly startedAt: number;
  duration: number | undefined = undefined;
  matchedId: string | undefined = undefined;
  ended = false;
  /** What the journal is told in bits: `FAULTED` and so on. */
  flags = 0;
  /** The number in the journal, 0 before it has one. */
  number = 0;
  /** The place of the counts of the mock that has matched, -1 while there is none. */
  mockSlot = -1;
  newer: ExchangeUnderWay | undefined = undefined;
  older: ExchangeUnderWay | undefined = undefined;

  readonly runtime: KindRuntime;
  /** What reads the captures of a message that is kept whole, for who asks later. */
  captures: CompiledMock<Message> | undefined = undefined;
  known: KnownParts | undefined = undefined;

  readonly #epoch: number;
  /** When it began, by a clock that only runs forward. */
  readonly began: number;
  #match: MockMatch | undefined = undefined;
  #misses: readonly contract.NearMiss[] | undefined = undefined;
  #pending: { readonly waiting: Waiting; readonly leave: () => void } | undefined = undefined;
  #isUnderWay = false;

  constructor(runtime: KindRuntime, message: Message) {
    this.runtime = runtime;
    this.message = message;
    this.#epoch = runtime.services.epoch;
    this.began = realElapsed();
    runtime.services.latest = this;
    this.startedAt = runtime.services.clock.dateAt(this.began);
  }

  get matched(): boolean {
    return this.matchedId !== undefined;
  }

  get faulted(): boolean {
    return (this.flags & FAULTED) !== 0;
  }

  get aborted(): boolean {
    return (this.flags & ABORTED) !== 0;
  }

  get wasAsked(): boolean {
    return (this.flags & ASKED) !== 0;
  }

  get kind(): string {
    return this.runtime.kind;
  }

  get log(): Log {
    return this.runtime.log;
  }

  get pathParams(): Readonly<Record<string, string>> | undefined {
    return this.known?.params ?? this.#match?.params ?? this.captures?.params?.(this.message);
  }

  get isCurrent(): boolean {
    return this.#epoch === this.runtime.services.epoch;
  }

  resolve(options?: { final?: boolean; message?: Message }): contract.Outcome | Promise<contract.Outcome> {
    const runtime = this.runtime;
    this.flags |= ASKED;
    if (options?.message !== undefined) this.message = options.message;
    const { mode } = runtime.protocol.mocks;
    if (mode === 'first') return this.#resolveFirst(options?.final ?? true);
    if (mode === 'items') return this.#answer(undefined, PROCEED, 0);
    const matches = runtime.table.selectAll(this.message).map((mock) => this.#count(mock));
    if (matches.length === 0) this.flags |= NO_MATCH;
    else this.flags &= ~NO_MATCH;
    const delay = matches.reduce((longest, match) => Math.max(longest, match.mock.delay), 0);
    return this.#answer(
      matches[0],
      matches.length === 0 ? UNMATCHED : { type: 'all', matches },
      delay,
      matches,
    );
  }

  follow(message: Message): readonly contract.Match[] {
    const { table, protocol } = this.runtime;
    if (protocol.mocks.mode === 'all')
      return table.selectAll(message).map((mock) => this.#take(mock, message));
    const found = table.select(message, true);
    return found instanceof EffectiveMock ? [this.#take(found, message)] : [];
  }

  used(mock: contract.LiveMock): contract.Match | Promise<contract.Match> {
    const effective = mock as EffectiveMock;
    const match = this.#take(effective, this.message);
    if (effective.delay === 0) return match;
    return this.wait(effective.delay).then(() => match);
  }

  answeredFromData(): void {
    this.flags &= ~(ASKED | NO_MATCH);
  }

  nearMisses(): readonly contract.NearMiss[] {
    if ((this.flags & NO_MATCH) === 0) return NO_MISSES;
    return (this.#misses ??= this.runtime.missesOf(this.message));
  }

  started(reply: Reply): void {
    if (this.ended || this.number > 0) return;
    this.reply = reply;
    if (this.isCurrent) this.#publish();
  }

  done(reply?: Reply): void {
    if (this.ended) return;
    this.ended = true;
    this.duration = realElapsed() - this.began;
    if (this.#isUnderWay) this.#leaveUnderWay();
    if (!this.isCurrent) return;
    if (reply !== undefined)
      this.reply = this.number > 0 && this.reply !== undefined ? { ...this.reply, ...reply } : reply;
    this.#slim();
    if (this.number === 0) this.#publish();
    else this.runtime.services.journal.complete(this, this.#weigh());
  }

  abort(): void {
    if (this.ended) return;
    this.flags |= ABORTED;
    this.done();
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.waiting.cancel();
    pending?.leave();
  }

  wait(milliseconds: number): Promise<boolean> {
    if (this.ended) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiting = this.runtime.services.clock.after(milliseconds, () => {
        this.#pending = undefined;
        resolve(true);
      });
      this.#pending = { waiting, leave: () => resolve(false) };
    });
  }

  countLogged(): void {
    const { kindCounter, counts } = this.runtime;
    kindCounter.logged += 1;
    if (this.matchedId !== undefined) counts.log(this.mockSlot, this.matchedId);
  }

  show(): void {
    if (this.number === 0 && this.isCurrent) this.#publish();
  }

  #resolveFirst(isFinal: boolean): contract.Outcome | Promise<contract.Outcome> {
    const found = this.runtime.table.select(this.message, isFinal);
    if (found instanceof EffectiveMock) {
      const match = this.#count(found);
      return found.isPlain && this.runtime.compiledFault === undefined
        ? match
        : this.#answer(match, match, found.delay);
    }
    if (found === LATER) return UNDECIDED;
    this.flags |= NO_MATCH;
    if (found === undefined) return this.#answer(undefined, UNMATCHED, 0);
    return { type: 'challenge', mock: found.challenged, challenge: found.challenge };
  }

  /** Rolls faults, sets state when none fires, starts webhooks, and waits for the delays. */
  #answer(
    match: MockMatch | undefined,
    outcome: contract.Outcome,
    mockDelay: number,
    matches: readonly MockMatch[] = match === undefined ? [] : [match],
  ): contract.Outcome | Promise<contract.Outcome> {
    const runtime = this.runtime;
    const { seed } = runtime.services;
    let delay = mockDelay;
    let result = outcome;
    const { compiledFault: fault } = runtime;
    if (fault?.phase === 'message') {
      const number = runtime.nextExchange();
      delay += rollDelay(fault, seed, runtime.faultHash, number);
      if (fault.fires && rollError(fault.errorRate, seed, runtime.faultHash, number)) {
        result = this.#faultWith(fault.fields, fault.given, match);
      }
    }
    const own = match?.mock.compiled.fault;
    if (own !== undefined && match !== undefined && result === outcome) {
      const hash = hashText(`${runtime.kind}/${match.mock.id}`);
      delay += rollDelay(own, seed, hash, match.call);
      if (own.fields !== undefined && rollError(own.errorRate, seed, hash, match.call)) {
        const { fields } = own;
        result = this.#faultWith({ ...runtime.protocol.fault?.default, ...fields }, fields, match);
      }
    }
    for (const each of matches) this.#takeEffect(each);
    if (delay === 0) return result;
    return this.wait(delay).then((hasArrived) => (hasArrived ? result : ABORTED_OUTCOME));
  }

  #faultWith(
    fields: Readonly<Record<string, unknown>>,
    given: Readonly<Record<string, unknown>>,
    match: MockMatch | undefined,
  ): contract.Outcome {
    this.flags |= FAULTED;
    return { type: 'fault', fault: fields, given, match };
  }

  /** Counts a match that the outcome is made of. */
  #count(mock: EffectiveMock): MockMatch {
    const { slot } = mock;
    const { counts } = this.runtime;
    const match = new MockMatch(
      this.runtime,
      this.message,
      mock,
      this.isCurrent ? counts.call(slot) : counts.callsOf(slot) + 1,
    );
    if (this.#match === undefined) {
      this.#match = match;
      this.matchedId = mock.id;
      this.mockSlot = slot;
      this.#joinUnderWay();
    }
    if (!mock.isPlain && counts.callsOf(slot) >= mock.limit) this.runtime.usedUp();
    if (counts.waiting > 0) mock.counter.wake();
    return match;
  }

  /** Counts a match beyond the first decision, with its effects. */
  #take(mock: EffectiveMock, message: Message): MockMatch {
    const own = this.message;
    this.message = message;
    const match = this.#count(mock);
    this.message = own;
    if (!this.faulted) this.#takeEffect(match);
    return match;
  }

  #takeEffect(match: MockMatch): void {
    if (!this.isCurrent) return;
    const { services, kind, log } = this.runtime;
    const { stateChanges, compiled, id } = match.mock;
    if (stateChanges !== undefined && !this.faulted) {
      for (const [key, template] of stateChanges) {
        try {
          const name = match.render(key);
          if (template === null) services.state.delete(name);
          else services.state.set(name, match.render(template));
        } catch (thrown) {
          log.error(`set_state "${key.source}" of mock "${id}" could not be rendered`, thrown);
        }
      }
    }
    if (compiled.webhooks !== undefined && services.webhooks?.enabled === true) {
      services.webhooks.fire(compiled.webhooks, {
        protocol: kind,
        mockId: id,
        scope: match.scope,
        logId: () => (this.number === 0 ? undefined : String(this.number)),
      });
    }
  }

  #publish(): void {
    this.runtime.services.journal.publish(this, this.#weigh());
  }

  #weigh(): number {
    return recordBytes(this.message, this.reply, (this.message.body?.length ?? 0) <= MAX_WHOLE_BODY);
  }

  /** Lets go of what the journal does not show. */
  #slim(): void {
    const match = this.#match;
    const isLarge =
      (this.message.body?.length ?? 0) > MAX_WHOLE_BODY || this.message.path.length > MAX_WHOLE_BODY;
    if (match !== undefined) {
      const { captures } = match.mock;
      // Captures are computed when the entry is read, as long as the message is there to compute them from.
      if (captures !== undefined) {
        if (isLarge) this.known = { params: match.params, misses: undefined };
        else this.captures = captures;
      }
      this.#match = undefined;
    }
    if (isLarge) {
      if (match === undefined) this.known = { params: undefined, misses: this.nearMisses() };
      this.message = retainMessage(this.message);
    }
    const { reply } = this;
    if (reply !== undefined && reply.size === undefined && reply.body !== undefined)
      this.reply = retainReply(reply);
  }

  #joinUnderWay(): void {
    const newest = this.runtime.newestUnderWay;
    this.older = newest;
    if (newest !== undefined) newest.newer = this;
    this.runtime.newestUnderWay = this;
    this.#isUnderWay = true;
  }

  #leaveUnderWay(): void {
    const { newer, older } = this;
    if (newer === undefined) this.runtime.newestUnderWay = older;
    else newer.older = older;
    if (older !== undefined) older.newer = newer;
    this.newer = undefined;
    this.older = undefined;
    this.#isUnderWay = false;
  }
}
