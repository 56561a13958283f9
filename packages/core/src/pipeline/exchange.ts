import { LATER, type CompiledMock } from '../contract/matcher.js';
import type { Log } from '../contract/log.js';
import type { Message, Reply } from '../contract/message.js';
import type { ContractNote } from '../contract/contracts.js';
import type { UpstreamNote } from '../contract/upstream.js';
import type * as contract from '../contract/outcome.js';
import type { AppliedDelays } from '../journal/entry.js';
import type { LoggedExchange } from '../journal/logged-exchange.js';
import { ABORTED, ASKED, FAULTED, UNMATCHED as NO_MATCH, type KnownParts } from '../journal/ring.js';
import { Tally } from '../journal/tally.js';
import {
  bodyLengthOf,
  MAX_WHOLE_BODY,
  recordBytes,
  retainCaptures,
  retainMessage,
  retainReply,
} from '../journal/retain.js';
import { EffectiveMock } from '../mocks/live-mock.js';
import type { SharedCount } from '../mocks/shared-count.js';
import { batch } from '../time/clock-real.js';
import type { Waiting } from '../time/clock.js';
import { DataMatch, matchWithData } from './data-match.js';
import { changeTogether, finishAll } from './change-together.js';
import { countTogether } from './count-together.js';
import { MockMatch } from './match.js';
import { ABORTED as ABORTED_OUTCOME, askFunctionAfter, askFunctions } from './ask-functions.js';
import { askFunction, type AskingExchange } from './respond.js';
import { awaitsMore, NO_FAULTS, rollFaults, type RolledFaults } from './roll-fault.js';
import type { KindRuntime, LatestExchange } from './runtime.js';
import { stepsTogether, stepTogether, type Step, type SteppingExchange } from './step-together.js';
import { fireWebhooks, takeEffects } from './take-effects.js';
import type { TriedMatch } from './try-match.js';
import type { ExchangeUnderWay } from './under-way.js';

const UNMATCHED: contract.Unmatched = Object.freeze({ type: 'unmatched' });
const UNDECIDED: contract.Undecided = Object.freeze({ type: 'undecided' });
const PROCEED: contract.Proceed = Object.freeze({ type: 'proceed' });
const NO_MISSES: readonly contract.NearMiss[] = Object.freeze([]);

/**
 * One message on its way. It is the record that the journal takes its parts from as well: a record of its own beside it was an
 * eighth of what an exchange costs (0.22 instead of 0.19 microseconds).
 */
export class Exchange
  implements contract.Exchange, LoggedExchange, LatestExchange, ExchangeUnderWay, AskingExchange
{
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
  /** Whom to tell when nobody waits for the answer any more. */
  #leaving: Set<() => void> | undefined = undefined;

  constructor(runtime: KindRuntime, message: Message) {
    this.runtime = runtime;
    this.message = message;
    this.#epoch = runtime.services.epoch;
    this.began = batch.beginning();
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

  resolve(options?: {
    final?: boolean;
    message?: Message;
    mocks?: boolean;
  }): contract.Outcome | Promise<contract.Outcome> {
    const runtime = this.runtime;
    if (options?.mocks === false)
      return runtime.compiledFault === undefined ? UNMATCHED : this.#answer(undefined, UNMATCHED, 0);
    this.flags |= ASKED;
    if (options?.message !== undefined) this.message = options.message;
    const { mode } = runtime.protocol.mocks;
    if (mode === 'first') return this.#resolveFirst(options?.final ?? true);
    if (mode === 'items') return this.#answer(undefined, PROCEED, 0);
    const found = runtime.table.selectAll(this.message);
    if (found.some((mock) => stepsTogether(mock, this.isCurrent))) return this.#resolveAllTogether(found);
    return this.#answerAll(found.map((mock) => this.#count(mock)));
  }

  /** @param tried - those of the matches whose changes are made */
  #answerAll(
    matches: readonly MockMatch[],
    tried: readonly TriedMatch[] = [],
    rolled?: RolledFaults,
  ): contract.Outcome | Promise<contract.Outcome> {
    if (matches.length === 0) this.flags |= NO_MATCH;
    else this.flags &= ~NO_MATCH;
    const delay = matches.reduce((longest, match) => Math.max(longest, match.delayOf(match.mock.delay)), 0);
    return this.#answer(
      matches[0],
      matches.length === 0 ? UNMATCHED : { type: 'all', matches },
      delay,
      matches,
      rolled === undefined ? undefined : { rolled, finish: () => finishAll(tried) },
      new Set(tried.map(({ match }) => match)),
    );
  }

  follow(
    message: Message,
  ): readonly contract.Match[] | Promise<readonly contract.Match[] | contract.Faulted> {
    const { table, protocol } = this.runtime;
    if (protocol.mocks.mode === 'all') {
      const found = table.selectAll(message);
      return found.some((mock) => stepsTogether(mock, this.isCurrent))
        ? this.#followTogether(found, message)
        : found.map((mock) => this.#takeAtOnce(mock, message));
    }
    const found = table.select(message, true);
    if (!(found instanceof EffectiveMock)) return [];
    return stepsTogether(found, this.isCurrent)
      ? this.#followTogether([found], message)
      : [this.#takeAtOnce(found, message)];
  }

  inform(message: Message): Promise<void> | undefined {
    const found = this.runtime.table.select(message, true);
    if (!(found instanceof EffectiveMock)) return undefined;
    if (found.isChanging && this.isCurrent) return this.#informChanging(message);
    if (found.shared !== undefined) return this.#informTogether(found, found.shared, message);
    const match = this.#take(found, message);
    const { responder } = found;
    const answered = responder === undefined ? match : askFunction(this, match, responder);
    return answered instanceof Promise ? answered.then(() => undefined) : undefined;
  }

  used(
    mock: contract.LiveMock,
  ): contract.Match | Promise<contract.Match | contract.Faulted | contract.Unmatched> {
    const effective = mock as EffectiveMock;
    if (stepsTogether(effective, this.isCurrent)) return this.#useTogether(effective);
    const match = this.#count(effective);
    const reading = this.faulted ? undefined : takeEffects(this, [match]);
    const delay = match.delayOf(effective.delay);
    const answered = this.faulted ? match : askFunctionAfter(this, match, reading);
    if (delay === 0 && reading === undefined) return answered;
    this.#noteDelays(delay, 0);
    return this.#after(delay, reading).then(() => answered);
  }

  answeredFromData(): void {
    this.flags &= ~(ASKED | NO_MATCH);
  }

  noteUpstream(note: UpstreamNote, kept?: Message): void {
    this.known = { ...this.known, upstream: note };
    if (note.answered === true) this.answeredFromData();
    if (kept !== undefined) this.message = kept;
  }

  noteContract(note: ContractNote): void {
    const before = this.known?.contract;
    const violations = [...(before?.violations ?? []), ...(note.violations ?? [])];
    const unchecked = [...new Set([...(before?.unchecked ?? []), ...(note.unchecked ?? [])])];
    const whole = {
      ...before,
      ...note,
      ...(violations.length === 0 ? {} : { violations }),
      ...(unchecked.length === 0 ? {} : { unchecked }),
    };
    this.known = { ...this.known, contract: whole };
  }

  nearMisses(): readonly contract.NearMiss[] {
    if ((this.flags & NO_MATCH) === 0) return NO_MISSES;
    return (this.#misses ??= this.runtime.missesOf(this.message));
  }

  started(reply: Reply): void {
    if (this.ended || this.number > 0) return;
    this.reply = reply;
    // What goes on sees what changes meanwhile.
    if (this.#match instanceof DataMatch) this.#match.own?.state.clear();
    if (this.isCurrent) this.#publish();
  }

  done(reply?: Reply): void {
    if (this.ended) return;
    this.ended = true;
    this.duration = batch.ending() - this.began;
    if (this.#isUnderWay) this.runtime.underWay.remove(this);
    this.#isUnderWay = false;
    if (!this.isCurrent) return;
    (this.runtime.tally ??= new Tally()).add(this.flags, this.matchedId !== undefined, this.duration);
    this.runtime.upstreamCounts?.add(this);
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
    if (this.#leaving !== undefined) for (const leave of [...this.#leaving]) leave();
  }

  onLeave(callback: () => void): () => void {
    const leaving = (this.#leaving ??= new Set());
    leaving.add(callback);
    return () => leaving.delete(callback);
  }

  noteFailure(failure: string): void {
    this.known = { ...this.known, failure };
  }

  get delays(): AppliedDelays | undefined {
    return this.known?.delays;
  }

  get upstream(): UpstreamNote | undefined {
    return this.known?.upstream;
  }

  get contract(): ContractNote | undefined {
    return this.known?.contract;
  }

  get missed(): boolean {
    return (this.flags & NO_MATCH) !== 0 && this.runtime.needsMatch;
  }

  get failure(): string | undefined {
    return this.known?.failure;
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
    if (!isFinal && awaitsMore(this.runtime.compiledFault, this.message)) return UNDECIDED;
    const found = this.runtime.table.select(this.message, isFinal);
    if (found instanceof EffectiveMock) {
      if (!found.isPlain && found.isChanging && this.isCurrent) return this.#resolveChanging(isFinal);
      if (!found.isPlain && found.shared !== undefined)
        return this.#resolveTogether(found, found.shared, isFinal);
      const match = this.#count(found);
      return found.isPlain && this.runtime.compiledFault === undefined
        ? match
        : this.#answer(match, match, match.delayOf(found.delay));
    }
    if (found === LATER) return UNDECIDED;
    this.flags |= NO_MATCH;
    // The plain way of what keeps data: nothing takes effect where no mock has matched and no fault is set.
    if (found === undefined)
      return this.runtime.compiledFault === undefined ? UNMATCHED : this.#answer(undefined, UNMATCHED, 0);
    return { type: 'challenge', mock: found.challenged, challenge: found.challenge };
  }

  /** As {@link #resolveFirst} for a mock that has matched and whose matches all replicas count. */
  async #resolveTogether(
    mock: EffectiveMock,
    shared: SharedCount,
    isFinal: boolean,
  ): Promise<contract.Outcome> {
    const numbered = await countTogether(this.runtime, mock, shared);
    if (this.ended) return ABORTED_OUTCOME;
    // It is as if absent from now on.
    if (numbered === 'used up') return this.#resolveFirst(isFinal);
    if ('failure' in numbered) return this.#fail(numbered.failure);
    const match = this.#count(mock, numbered.number);
    return this.#answer(match, match, match.delayOf(mock.delay));
  }

  /** As {@link #resolveFirst} for a mock whose match changes what all replicas have in common. */
  async #resolveChanging(isFinal: boolean): Promise<contract.Outcome> {
    const tried = await changeTogether(
      this,
      () => {
        const found = this.runtime.table.select(this.message, isFinal);
        return found instanceof EffectiveMock ? found : undefined;
      },
      (match) => rollFaults(this, match),
    );
    if (this.ended) return ABORTED_OUTCOME;
    if (tried === undefined) return this.#resolveFirst(isFinal);
    if ('failure' in tried) return this.#fail(tried.failure);
    const match = this.#count(tried.match.mock, tried.number, tried.match);
    return this.#answer(match, match, match.delayOf(match.mock.delay), [match], tried);
  }

  async #resolveAllTogether(found: readonly EffectiveMock[]): Promise<contract.Outcome> {
    // Mode `all` rolls once, for the first of them.
    let rolled: RolledFaults | undefined;
    const steps = await stepTogether(
      this,
      found,
      () => this.runtime.table.selectAll(this.message),
      (match) => (rolled ??= rollFaults(this, match)),
    );
    if (this.ended) return ABORTED_OUTCOME;
    if ('failure' in steps) return this.#fail(steps.failure);
    const matches = steps.map(({ mock, number, tried }) => this.#count(mock, number, tried?.match));
    const changed = steps.flatMap(({ tried }) => (tried === undefined ? [] : [tried]));
    return this.#answerAll(matches, changed, rolled);
  }

  /** As {@link follow} where a match takes a step on all replicas. */
  async #followTogether(
    found: readonly EffectiveMock[],
    message: Message,
  ): Promise<readonly contract.Match[] | contract.Faulted> {
    const { table, protocol } = this.runtime;
    const steps = await stepTogether(
      this.#stepping(message),
      found,
      () => {
        if (protocol.mocks.mode === 'all') return table.selectAll(message);
        const now = table.select(message, true);
        return now instanceof EffectiveMock ? [now] : [];
      },
      () => this.#rolledBefore(),
    );
    if (this.ended) return [];
    if ('failure' in steps) return this.#faultOf(steps.failure) ?? [];
    // Another one may be the first by now.
    if (steps.length === 0 && protocol.mocks.mode === 'first') return this.follow(message);
    return Promise.all(
      steps.map(async (step) =>
        stepsTogether(step.mock, true) ? this.#takeStep(step, message) : this.#takeAtOnce(step.mock, message),
      ),
    );
  }

  /** As {@link used} for a mock whose use takes a step on all replicas. */
  async #useTogether(mock: EffectiveMock): Promise<contract.Match | contract.Faulted | contract.Unmatched> {
    const { message } = this;
    const steps = await stepTogether(
      this.#stepping(message),
      [mock],
      () => this.runtime.table.values(),
      () => this.#rolledBefore(),
    );
    if (this.ended) return UNMATCHED;
    if ('failure' in steps) return this.#faultOf(steps.failure) ?? UNMATCHED;
    const [step] = steps;
    if (step === undefined) return UNMATCHED;
    const match = await this.#takeStep(step, message);
    const delay = match.delayOf(step.mock.delay);
    this.#noteDelays(delay, 0);
    await this.#after(delay, undefined);
    return match;
  }

  /** Counts a match whose step was taken, with the rest of its effects. */
  async #takeStep({ mock, number, tried }: Step, message: Message): Promise<MockMatch> {
    const match = this.#countFor(message, mock, number, tried?.match);
    if (this.faulted) return match;
    if (tried === undefined) await takeEffects(this, [match]);
    else {
      fireWebhooks(this, match);
      await tried.finish();
    }
    return match;
  }

  /** The exchange as the steps of another message than its own see it. */
  #stepping(message: Message): SteppingExchange {
    const hasEnded = (): boolean => this.ended;
    const isCurrent = (): boolean => this.isCurrent;
    return {
      runtime: this.runtime,
      message,
      get ended() {
        return hasEnded();
      },
      get isCurrent() {
        return isCurrent();
      },
    };
  }

  /** What the exchange has rolled when its first decision was made: a match changes nothing where a fault fires. */
  #rolledBefore(): RolledFaults {
    if (!this.faulted) return NO_FAULTS;
    const fault = this.runtime.protocol.fault?.default ?? {};
    return { delay: 0, fault: { type: 'fault', fault, given: {}, match: undefined } };
  }

  async #informChanging(message: Message): Promise<void> {
    const tried = await changeTogether(
      { runtime: this.runtime, message },
      () => {
        const found = this.runtime.table.select(message, true);
        return found instanceof EffectiveMock ? found : undefined;
      },
      () => NO_FAULTS,
    );
    if (this.ended) return;
    if (tried === undefined) await this.inform(message);
    else if ('failure' in tried) this.noteFailure(tried.failure);
    else {
      this.#count(tried.match.mock, tried.number, tried.match);
      fireWebhooks(this, tried.match);
    }
  }

  async #informTogether(mock: EffectiveMock, shared: SharedCount, message: Message): Promise<void> {
    const numbered = await countTogether(this.runtime, mock, shared);
    if (this.ended) return;
    if (numbered === 'used up') await this.inform(message);
    else if ('failure' in numbered) this.noteFailure(numbered.failure);
    else this.#take(mock, message, numbered.number);
  }

  /** What a message gets whose mock cannot be counted now: as if the fault of the kind had fired, with the reason in the journal. */
  #fail(failure: string): contract.Outcome {
    return this.#faultOf(failure) ?? UNMATCHED;
  }

  /** As {@link #fail}; undefined for a kind without faults. */
  #faultOf(failure: string): contract.Faulted | undefined {
    this.noteFailure(failure);
    const { fault } = this.runtime.protocol;
    if (fault === undefined) return undefined;
    this.flags |= FAULTED;
    return {
      type: 'fault',
      fault: fault.default,
      given: {},
      match: undefined,
    };
  }

  /** Rolls faults, sets state when none fires, starts webhooks, and waits for the delays. */
  #answer(
    match: MockMatch | undefined,
    outcome: contract.Outcome,
    mockDelay: number,
    matches: readonly MockMatch[] = match === undefined ? [] : [match],
    made?: Pick<TriedMatch, 'rolled' | 'finish'>,
    changed: ReadonlySet<MockMatch> | undefined = made === undefined ? undefined : new Set(matches),
  ): contract.Outcome | Promise<contract.Outcome> {
    const rolled = made?.rolled ?? rollFaults(this, match);
    if (rolled.fault !== undefined) this.flags |= FAULTED;
    const reading =
      changed === undefined || made === undefined
        ? takeEffects(this, matches)
        : this.#takeRest(matches, changed, made);
    const answered = rolled.fault ?? askFunctions(this, outcome, matches, reading);
    const delay = mockDelay + rolled.delay;
    if (delay === 0 && reading === undefined) return answered;
    this.#noteDelays(mockDelay, rolled.delay);
    return this.#after(delay, reading).then((hasArrived) => (hasArrived ? answered : ABORTED_OUTCOME));
  }

  /** What matches do beside answering, of which some have their changes made. */
  #takeRest(
    matches: readonly MockMatch[],
    changed: ReadonlySet<MockMatch>,
    { finish }: Pick<TriedMatch, 'finish'>,
  ): Promise<void> | undefined {
    for (const match of matches) if (changed.has(match)) fireWebhooks(this, match);
    const readings = [
      finish(),
      takeEffects(
        this,
        matches.filter((match) => !changed.has(match)),
      ),
    ].filter((each) => each !== undefined);
    return readings.length === 0 ? undefined : Promise.all(readings).then(() => undefined);
  }

  /** Keeps for the journal what an answer waits for, beside what it has waited for already. */
  #noteDelays(mock: number, fault: number): void {
    if (mock === 0 && fault === 0) return;
    const { mock: mocks = 0, fault: faults = 0 } = this.known?.delays ?? {};
    this.known = { ...this.known, delays: { mock: mocks + mock, fault: faults + fault } };
  }

  /** Waits for a delay and for what is read meanwhile; whether the client is still there. */
  async #after(delay: number, reading: Promise<void> | undefined): Promise<boolean> {
    const hasArrived = delay === 0 || (await this.wait(delay));
    await reading;
    return hasArrived && !this.ended;
  }

  /**
   * Counts a match that the outcome is made of.
   *
   * @param number - the number that it has on all replicas
   * @param made - the match, where there is one already
   */
  #count(mock: EffectiveMock, number?: number, made?: MockMatch): MockMatch {
    const { slot } = mock;
    const { counts } = this.runtime;
    const own = this.isCurrent ? counts.call(slot) : counts.callsOf(slot) + 1;
    const call = number ?? own;
    const match =
      made ??
      (mock.data === undefined
        ? new MockMatch(this.runtime, this.message, mock, call)
        : matchWithData(this.runtime, this.message, mock, call));
    if (this.#match === undefined) {
      this.#match = match;
      this.matchedId = mock.id;
      this.mockSlot = slot;
      this.runtime.underWay.add(this);
      this.#isUnderWay = true;
    }
    if (!mock.isPlain && mock.isUsedUp) this.runtime.usedUp();
    if (counts.waiting > 0) mock.counter.wake();
    return match;
  }

  /** Counts a match beyond the first decision, with its effects. */
  #take(mock: EffectiveMock, message: Message, number?: number): MockMatch {
    const match = this.#countFor(message, mock, number);
    if (!this.faulted) void takeEffects(this, [match], true);
    return match;
  }

  /** As {@link #count} for another message than that of the exchange. */
  #countFor(message: Message, mock: EffectiveMock, number?: number, made?: MockMatch): MockMatch {
    const own = this.message;
    this.message = message;
    const match = this.#count(mock, number, made);
    this.message = own;
    return match;
  }

  /** As {@link #take}, with the answer of its function. */
  #takeAtOnce(mock: EffectiveMock, message: Message): contract.Match {
    const match = this.#take(mock, message);
    const { responder } = mock;
    if (responder === undefined || this.faulted) return match;
    // Nothing else than a match comes of what is asked at once.
    return askFunction(this, match, responder, true) as contract.Match;
  }

  #publish(): void {
    this.runtime.services.journal.publish(this, this.#weigh());
  }

  #weigh(): number {
    return recordBytes(this.message, this.reply);
  }

  /** Lets go of what the journal does not show. */
  #slim(): void {
    const match = this.#match;
    const { message } = this;
    const isLarge = bodyLengthOf(message) > MAX_WHOLE_BODY || message.path.length > MAX_WHOLE_BODY;
    if (match !== undefined) {
      const { captures } = match.mock;
      // Captures are computed when the entry is read, as long as the message is there to compute them from.
      if (captures !== undefined) {
        if (isLarge) this.known = { ...this.known, params: retainCaptures(match.params) };
        // What a pattern compares with may be another when the entry is read.
        else if (match.mock.usesHost) this.known = { ...this.known, params: match.params };
        else this.captures = captures;
      }
      this.#match = undefined;
    }
    if (isLarge) {
      if (match === undefined) this.known = { ...this.known, misses: this.nearMisses() };
      this.message = retainMessage(message);
    }
    const { reply } = this;
    if (reply !== undefined && reply.size === undefined && reply.body !== undefined)
      this.reply = retainReply(reply);
  }
}
