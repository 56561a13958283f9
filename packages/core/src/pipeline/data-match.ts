import type { FirstAnswer, Reading } from '../collections/once-store.js';
import { NOTHING_FOUND, type Found } from '../collections/operation.js';
import type { Message } from '../contract/message.js';
import { invalid } from '../errors.js';
import type { EffectiveMock } from '../mocks/live-mock.js';
import type { TemplateScope } from '../templates/template.js';
import { MockMatch } from './match.js';
import { nameOfAnswer } from './data-refusal.js';
import type { KindRuntime } from './runtime.js';
import { Scope } from './scope.js';

/** The values for the templates of a match that has to do with data. */
class DataScope extends Scope {
  /** What the operation of the mock has found. */
  locals: Found = NOTHING_FOUND;
  /** What the match has of its own beside what its host has; absent where nothing is shared. */
  own: OwnValues | undefined = undefined;

  override state(key: string): string | undefined {
    const value = this.own?.state.get(key);
    return value === undefined ? super.state(key) : (value ?? undefined);
  }

  override seq(name: string): number {
    const { own } = this;
    if (own === undefined) return super.seq(name);
    const number = own.numbers.get(name)?.shift();
    if (number !== undefined) return number;
    throw invalid(
      `{{seq "${name}"}} counts on more often than it stands in the mock, for which replicas have no number left; use scope: replica`,
    );
  }
}

/** What a match of a mock that all replicas share has of its own, until its answer has begun. */
export interface OwnValues {
  /** What it sets; `null` for what it deletes. */
  readonly state: Map<string, string | null>;
  /** The numbers of sequences that are its own. */
  readonly numbers: ReadonlyMap<string, number[]>;
}

/** A scope whose templates read what those of a first answer have read. */
class RepeatedScope extends DataScope {
  readonly #reading: Reading;
  readonly #used = new Map<string, number>();
  override readonly now: () => number;

  constructor(reading: Reading, ...given: ConstructorParameters<typeof Scope>) {
    super(...given);
    this.#reading = reading;
    this.now = () => reading.now;
  }

  override state(key: string): string | undefined {
    const { state } = this.#reading;
    if (!state.has(key)) state.set(key, super.state(key));
    return state.get(key);
  }

  override seq(name: string): number {
    const { numbers } = this.#reading;
    const used = this.#used.get(name) ?? 0;
    this.#used.set(name, used + 1);
    let known = numbers.get(name);
    if (known === undefined) numbers.set(name, (known = []));
    return (known[used] ??= super.seq(name));
  }
}

/** A match of a mock that has to do with data. */
export class DataMatch extends MockMatch {
  /** What the operation of the mock has found. */
  found: Found = NOTHING_FOUND;
  /** What it has beside what its host has; absent where nothing is shared. */
  own: OwnValues | undefined = undefined;
  /** The first answer that this one repeats, without effects. */
  readonly first: FirstAnswer | undefined;
  /** The name under which the answer is kept; absent when it is not. */
  readonly name: string | undefined;
  readonly reading: Reading | undefined;
  readonly asked: Message;
  readonly #runtime: KindRuntime;
  #own: DataScope | undefined;

  constructor(
    runtime: KindRuntime,
    message: Message,
    mock: EffectiveMock,
    call: number,
    name: string | undefined,
    first: FirstAnswer | undefined,
  ) {
    super(runtime, first?.message ?? message, mock, first?.call ?? call);
    this.#runtime = runtime;
    this.asked = first?.message ?? message;
    this.name = name;
    this.first = first;
    this.found = first?.found ?? NOTHING_FOUND;
    this.reading =
      name === undefined
        ? undefined
        : (first?.reading ?? { now: runtime.services.clock.now(), numbers: new Map(), state: new Map() });
  }

  override get scope(): TemplateScope {
    if (this.#own === undefined) this.#own = this.#makeScope(this.reading);
    this.#own.locals = this.found;
    this.#own.own = this.own;
    return this.#own;
  }

  /** The values for what is done beside the answer, so that the answer does not depend on it. */
  effectScope(purpose: string): TemplateScope {
    const scope = this.#makeScope(undefined, purpose);
    scope.locals = this.found;
    scope.own = this.own;
    return scope;
  }

  #makeScope(reading: Reading | undefined, ...further: readonly string[]): DataScope {
    const { services: of, kind } = this.#runtime;
    const { seed = of.seed } = this.first ?? {};
    const services = seed === of.seed ? of : { ...of, seed };
    const chance = [kind, this.mock.id, this.call, ...further];
    const params = (): Readonly<Record<string, string>> => this.params;
    return reading === undefined
      ? new DataScope(services, this.asked, params, chance)
      : new RepeatedScope(reading, services, this.asked, params, chance);
  }
}

/** The match of a mock that has to do with data: with the first answer for its key, when there is one. */
export function matchWithData(
  runtime: KindRuntime,
  message: Message,
  mock: EffectiveMock,
  call: number,
): DataMatch {
  const name = nameOfAnswer(runtime, mock, message);
  const first = name === undefined ? undefined : runtime.services.once.find(name);
  return new DataMatch(runtime, message, mock, call, name, first);
}
