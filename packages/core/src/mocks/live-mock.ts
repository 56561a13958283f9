import { compileData, namesFound } from '../collections/compile-data.js';
import type { MockData } from '../collections/operation.js';
import { compileEmits, type CompiledEmit } from '../emits/compile-emits.js';
import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { IndexedMock, MockIndex } from '../contract/mock-index.js';
import type { StateCondition } from '../contract/fields.generated.js';
import type { StoredMock } from '../contract/given.js';
import type { Protocol } from '../contract/protocol.js';
import type { Problem } from '../errors.js';
import type { StateStore } from '../stores/state-store.js';
import type { Template } from '../templates/template.js';
import { parseDuration } from '../time/duration.js';
import type { Clock } from '../time/clock.js';
import type { Delay } from '../time/delay.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { NotingTools, type HostParts } from './compile-tools.js';
import type { MockCounter } from './counters.js';
import { SharedCount } from './shared-count.js';
import { findResponder, type Responder } from './responder.js';
import { HIDDEN, type Veil } from './veil.js';

/** Where a mock stands among the others, and since when. */
export interface MockPlace {
  readonly position: number;
  /** Milliseconds since 1970, by the virtual clock. */
  readonly createdAt: number;
}

/** Conditions of one mock, and keys that it sets: all are gone through for a message. */
const MAX_STATE_FIELDS = 1000;

/** The limit of a mock without one: a small integer, since it is compared for each message. */
export const NO_LIMIT = 2 ** 30 - 1;

/** A mock in effect with everything core needs to serve it. */
export class EffectiveMock implements IndexedMock<CompiledMock<Message>> {
  // What every match reads comes first: with thousands of mocks each is cold, and these few share its cache lines.
  readonly compiled: CompiledMock<Message>;
  /** Whether a match does nothing but answer: no conditions, limits, delay, state, webhooks or fault of its own. */
  isPlain = true;
  /** The place of its counts. */
  readonly slot: number;
  readonly id: string;
  /** What reads the captures of a message; absent when there are none. */
  readonly captures: CompiledMock<Message> | undefined;
  /** Whether it can be as if absent without having changed. */
  isConditional = false;
  /** What is waited for before the answer. */
  readonly delay: Delay;
  readonly stateChanges: CoreParts['stateChanges'];
  readonly emits: readonly CompiledEmit[] | undefined;
  /** The function that makes the answer; absent for most mocks. */
  readonly responder: Responder | undefined;
  /** What it does with collections, and whether its answers are given again; absent for most mocks. */
  readonly data: MockData | undefined;
  readonly value: StoredMock;
  readonly priority: number;
  readonly position: number;
  readonly conditions: readonly StateCondition[] | undefined;
  /** {@link NO_LIMIT} when it may match for ever. */
  readonly limit: number;
  /** Milliseconds after which it expires; absent when it does not. */
  readonly lifetime: number | undefined;
  readonly place: MockPlace;
  readonly counter: MockCounter;
  /** The sequences of `seq` that its templates count on, with how often at most; absent for most mocks. */
  readonly sequences: CoreParts['sequences'];
  /** Whether a match changes what all replicas have in common; never where there are none. */
  readonly isChanging: boolean;
  /** Its count on all replicas; absent for most mocks, and wherever there are none. */
  readonly shared: SharedCount | undefined;
  /** Whether what it was compiled to belongs to its host alone. */
  readonly usesHost: boolean;
  #veil: Readonly<Veil> | undefined = undefined;

  constructor(
    value: StoredMock,
    compiled: CompiledMock<Message>,
    core: CoreParts,
    place: MockPlace,
    counter: MockCounter,
  ) {
    const limit = Math.min(value.times ?? NO_LIMIT, compiled.limit ?? NO_LIMIT);
    this.compiled = compiled;
    this.slot = counter.slot;
    this.id = value.id;
    this.captures = compiled.params === undefined ? undefined : compiled;
    this.delay = core.delay;
    this.stateChanges = core.stateChanges;
    this.emits = core.emits;
    this.responder = core.responder;
    this.data = core.data;
    this.value = value;
    this.priority = value.priority ?? 0;
    this.position = place.position;
    this.conditions = core.conditions;
    this.limit = limit;
    this.lifetime = core.expires;
    this.place = place;
    this.counter = counter;
    this.usesHost = core.usesHost;
    this.sequences = core.sequences;
    this.isChanging = core.isChanging === true;
    this.shared = core.isShared === true ? new SharedCount(counter) : undefined;
    this.show();
  }

  /** Whether it is not created yet: it has its place, and is as if absent. */
  get isHidden(): boolean {
    return this.#veil !== undefined && this.#veil.isHidden;
  }

  /**
   * Makes it as if absent until {@link show} is called.
   *
   * @param veil - what shows it together with others when it is lifted; call {@link settle} then
   */
  hide(veil: Readonly<Veil> = HIDDEN): void {
    this.#veil = veil;
    this.isPlain = false;
    this.isConditional = true;
  }

  /** Whether this veil hides it. */
  isBehind(veil: Veil): boolean {
    return this.#veil === veil && veil.isHidden;
  }

  /** Makes it as quick as one that was never hidden, when what hid it with others has been lifted. */
  settle(): void {
    if (this.#veil !== undefined && !this.#veil.isHidden) this.show();
  }

  show(): void {
    this.#veil = undefined;
    this.isConditional =
      this.conditions !== undefined || this.limit !== NO_LIMIT || this.lifetime !== undefined;
    this.isPlain =
      !this.isConditional &&
      this.stateChanges === undefined &&
      this.emits === undefined &&
      this.responder === undefined &&
      this.data === undefined &&
      this.shared === undefined &&
      !this.isChanging &&
      this.delay === 0 &&
      this.compiled.fault === undefined &&
      this.compiled.webhooks === undefined;
  }

  /** The same mock at this place, without compiling anything. */
  at(place: MockPlace): EffectiveMock {
    return place === this.place ? this : this.copy(place);
  }

  /** Another one that is the same, and is not hidden. */
  copy(place = this.place, counter = this.counter): EffectiveMock {
    const { conditions, stateChanges, emits, data, delay, lifetime: expires, responder, usesHost } = this;
    const { sequences, isChanging } = this;
    const isShared = this.shared !== undefined;
    const effects = { conditions, stateChanges, emits, data, sequences };
    return new EffectiveMock(
      this.value,
      this.compiled,
      { ...effects, delay, expires, responder, usesHost, isShared, isChanging },
      place,
      counter,
    );
  }

  /** Whether it has matched as often as it may, as far as is known here. */
  get isUsedUp(): boolean {
    return (this.shared?.known ?? this.counter.calls) >= this.limit;
  }

  /** Why the mock is as if absent now, beyond what its matcher says; `undefined` when it is there. */
  absence(state: StateStore, clock: Clock): string | undefined {
    if (!this.isConditional) return undefined;
    if (this.isHidden) return 'not created yet';
    if (this.isUsedUp) return `used up after ${this.limit} ${this.limit === 1 ? 'match' : 'matches'}`;
    if (this.lifetime !== undefined && clock.now() >= this.place.createdAt + this.lifetime) return 'expired';
    for (const condition of this.conditions ?? []) {
      const value = state.get(condition.key) ?? '';
      if (condition.value !== undefined && value !== condition.value) {
        return `state ${condition.key}: got ${JSON.stringify(value)}, want ${JSON.stringify(condition.value)}`;
      }
      if (condition.not !== undefined && value === condition.not) {
        return `state ${condition.key}: got ${JSON.stringify(value)}, want anything else`;
      }
    }
    return undefined;
  }
}

/** The compiled form of core's own fields. */
export interface CoreParts {
  readonly conditions: readonly StateCondition[] | undefined;
  /** The keys and values that are set; `null` deletes a key. */
  readonly stateChanges: readonly (readonly [Template, Template | null])[] | undefined;
  /** What it pushes into open streams. */
  readonly emits: readonly CompiledEmit[] | undefined;
  readonly data: MockData | undefined;
  readonly delay: Delay;
  readonly expires: number | undefined;
  /** The function that makes the answer. */
  readonly responder: Responder | undefined;
  /** Whether what the mock was compiled to belongs to its host alone: that of a space compiles it anew. */
  readonly usesHost: boolean;
  /** The sequences of `seq` that templates count on, with how often at most for one message; absent for most mocks. */
  readonly sequences: ReadonlyMap<string, number> | undefined;
  /** Whether all replicas count its matches together. */
  readonly isShared?: boolean;
  /** Whether all replicas make together what a match changes. */
  readonly isChanging?: boolean;
}

/** Compiles a mock that its schema has passed: the kind's part and core's. */
export function compileMock(
  protocol: Protocol,
  value: StoredMock,
  index: MockIndex<Message, CompiledMock<Message>>,
  host?: HostParts,
):
  | {
      readonly compiled: CompiledMock<Message>;
      readonly core: CoreParts;
      readonly warnings: readonly Problem[];
      readonly isPortable: boolean;
      /** Whether it is only known of a message which sequences it counts on, or how often. */
      readonly hasOpenSequences: boolean;
    }
  | { readonly problems: readonly Problem[] } {
  const tools = new NotingTools(host);
  for (const name of namesFound(value.collection)) tools.names.add(name);
  const responder = findResponder({ protocol, value, index, host }, tools);
  const fields = compileCoreFields(value, tools);
  const compiled = tools.attempt('', undefined, () => protocol.mocks.compile(value, tools, index));
  if (tools.problems.length > 0 || compiled === undefined) return { problems: tools.problems };
  tools.finish(compiled);
  // What it compiled to with the index, the clock or the keys of one host means nothing in another.
  const isPortable = !tools.usesHost && protocol.mocks.compile.length <= 2;
  const usesHost = !isPortable || responder !== undefined;
  const { warnings, hasOpenSequences } = tools;
  const sequences = tools.sequences.size === 0 ? undefined : tools.sequences;
  return {
    ...{ compiled, core: { ...fields, responder, usesHost, sequences } },
    ...{ warnings, isPortable, hasOpenSequences },
  };
}

function compileCoreFields(
  value: StoredMock,
  tools: NotingTools,
): Omit<CoreParts, 'responder' | 'usesHost' | 'sequences'> {
  const conditions = value.state === undefined ? undefined : [value.state].flat();
  conditions?.forEach((condition, index) => {
    // What is no object the schema refuses.
    if (!isObject(condition)) return;
    const at = Array.isArray(value.state) ? pointTo('/state', index) : '/state';
    if ((condition.value === undefined) === (condition.not === undefined)) {
      tools.problem(at, 'must have either "value" or "not"');
    }
  });
  const changes = Object.entries(value.set_state ?? {}).map(([key, text]) => {
    const at = pointTo('/set_state', key);
    const name = tools.template(key, at, { target: 'text' });
    return [name, text === null ? null : tools.template(text, at, { target: 'text' })] as const;
  });
  for (const [field, list] of Object.entries({ state: conditions ?? [], set_state: changes })) {
    if (list.length > MAX_STATE_FIELDS)
      tools.problem(`/${field}`, `must hold at most ${MAX_STATE_FIELDS}, got ${list.length}`);
  }
  return {
    conditions: conditions === undefined || conditions.length === 0 ? undefined : conditions,
    stateChanges: changes.length === 0 ? undefined : changes,
    emits: compileEmits(value.emit, tools),
    data: compileData(value, tools),
    delay: tools.delay(value.delay, '/delay'),
    expires:
      value.expires === undefined
        ? undefined
        : tools.attempt('/expires', undefined, () => parseDuration(value.expires ?? '')),
  };
}
