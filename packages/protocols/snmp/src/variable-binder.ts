import { messageOf, type ExchangeFor, type FaultOf, type MatchOf } from '@backlot/core/plugin';
import { ERROR } from './error-status.js';
import type { OidIndex } from './mock-index.js';
import { orderKey } from './oid.js';
import { parseValue, type GivenValue } from './parse-value.js';
import type { SetValues } from './set-values.js';
import type { SnmpShape } from './shape.js';
import type { SnmpMessage } from './message.js';
import type { SystemGroup, SystemInstance } from './system-group.js';
import { awaited, type Steps } from './walks.js';
import { encodeBinding, type Binding } from './wire/value.js';

type SnmpMatch = MatchOf<SnmpShape>;

/** An error that ends a request: its status and the binding (from 1) that caused it. */
export class RequestError extends Error {
  readonly status: number;
  readonly index: number;

  constructor(status: number, index: number, message = '') {
    super(message);
    this.name = 'RequestError';
    this.status = status;
    this.index = index;
  }
}

/** A fault that is answered in place of all that was found: replicas cannot count a mock now. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly fault: FaultOf<SnmpShape>;

  constructor(fault: FaultOf<SnmpShape>) {
    super('a fault is answered');
    this.fault = fault;
  }
}

/** Nobody waits for the answer any more. */
export class EndedError extends Error {
  override readonly name = 'EndedError';
}

/** What comes next in a walk. */
export interface Next {
  readonly oid: string;
  /** @throws RequestError when a template makes a value of another type */
  bindingAt(place: number): Binding;
}

/** What mocks say to the OIDs of one request. Core has matched the first; the others are followed within its exchange. */
export class VariableBinder {
  readonly #exchange: ExchangeFor<SnmpShape>;
  readonly #index: OidIndex;
  readonly #values: SetValues;
  /** What follows OIDs whose mocks are as if absent: one request must not look at many of them again and again. */
  readonly #beyond = new Map<string, { readonly next: string | undefined }>();
  #first: SnmpMatch | undefined;
  /** The longest delay, in milliseconds, of a mock that core has not waited for. */
  delay = 0;
  /** Whether the system group has answered something. */
  usesSystem = false;
  readonly #system: SystemGroup | undefined;
  readonly #beforeWait: () => void;

  /** @param beforeWait - called before replicas are waited for that count a mock together; it may abort the exchange */
  constructor(
    exchange: ExchangeFor<SnmpShape>,
    first: SnmpMatch | undefined,
    index: OidIndex,
    values: SetValues,
    system: SystemGroup | undefined,
    beforeWait: () => void,
  ) {
    this.#beforeWait = beforeWait;
    this.#system = system;
    this.#exchange = exchange;
    this.#first = first;
    this.#index = index;
    this.#values = values;
  }

  get message(): SnmpMessage {
    return this.#exchange.message;
  }

  /** The mock of the OID of a binding, counted from 0. */
  *find(place: number, oid: string): Steps<SnmpMatch | undefined> {
    return answered(place === 0 ? this.#takeFirst() : yield* this.#follow(oid, undefined), place);
  }

  /** What the system group says to an OID without a mock. */
  readSystem(oid: string): Binding | undefined {
    const found = this.#system?.get(oid);
    this.usesSystem ||= found !== undefined;
    return found?.read();
  }

  /** What follows an OID; `isFirst` for the very first look-up of the request, which core has made. */
  *findNext(oid: string, isFirst: boolean): Steps<Next | undefined> {
    const first = isFirst ? answered(this.#takeFirst(), 0) : undefined;
    if (first !== undefined) return this.#nextOf(first);
    const own = this.#system?.next(oid);
    const match = isFirst ? undefined : yield* this.#findMock(oid, own);
    if (match !== undefined) return this.#nextOf(match);
    if (own === undefined) return undefined;
    this.usesSystem = true;
    return { oid: own.oid, bindingAt: () => own.read() };
  }

  #nextOf(match: SnmpMatch): Next {
    return { oid: match.mock.compiled.oid, bindingAt: (place) => this.bindingOf(match, place) };
  }

  /** The mock of the OID that follows, unless what the system group has comes before it. */
  *#findMock(oid: string, own: SystemInstance | undefined): Steps<SnmpMatch | undefined> {
    const passed: string[] = [];
    let match: SnmpMatch | undefined;
    let next = this.#index.next(oid);
    while (next !== undefined && (own === undefined || orderKey(next) < own.order)) {
      const known = this.#beyond.get(next);
      match = known === undefined ? yield* this.#follow(oid, next) : undefined;
      if (match !== undefined) break;
      if (known === undefined) passed.push(next);
      next = known === undefined ? this.#index.next(next) : known.next;
      yield;
    }
    const beyond = { next };
    for (const each of passed) this.#beyond.set(each, beyond);
    return answered(match, 0);
  }

  /** Whether other instances of the OID's object are there. */
  isInObject(oid: string): boolean {
    return this.#index.isInObject(oid) || this.#system?.isInObject(oid) === true;
  }

  /**
   * The binding of a mock: the value that was set, else its own.
   *
   * @throws RequestError when a template makes a value of another type
   */
  bindingOf(match: SnmpMatch, place: number): Binding {
    const { id, compiled } = match.mock;
    const set = this.#values.get(id);
    if (set !== undefined) return set;
    if (compiled.value === undefined) return compiled.fixed;
    try {
      return encodeBinding(
        compiled.oid,
        parseValue(compiled.type, givenBy(match.renderValue(compiled.value))),
      );
    } catch (thrown) {
      throw new RequestError(ERROR.genErr, place + 1, `mock "${id}", /value: ${messageOf(thrown)}`);
    }
  }

  /** Keeps a value beside a mock, unless a reset has overtaken the request. */
  setValue(match: SnmpMatch, binding: Binding): void {
    if (this.#exchange.isCurrent) this.#values.set(match.mock.id, binding);
  }

  #takeFirst(): SnmpMatch | undefined {
    const first = this.#first;
    this.#first = undefined;
    return first;
  }

  *#follow(oid: string, target: string | undefined): Steps<SnmpMatch | undefined> {
    const followed = this.#exchange.follow(this.message.for(oid, target));
    const found = followed instanceof Promise ? yield* this.#await(followed) : followed;
    if ('type' in found) throw new FaultError(found.fault);
    const [match] = found;
    this.delay = Math.max(this.delay, delayOf(match));
    return match;
  }

  *#await<T>(followed: Promise<T>): Steps<T> {
    this.#beforeWait();
    const found = yield* awaited(followed);
    if (this.#exchange.ended) throw new EndedError();
    return found;
  }
}

/** The delay that the mock itself has, in milliseconds. */
export function delayOf(match: SnmpMatch | undefined): number {
  try {
    return match === undefined ? 0 : match.delayOf(match.mock.compiled.delay);
  } catch {
    // Its function has failed, which is told when its value is asked for.
    return 0;
  }
}

/** @throws RequestError when what the mock answers could not be made */
function answered(match: SnmpMatch | undefined, place: number): SnmpMatch | undefined {
  try {
    void match?.mock.compiled;
    return match;
  } catch (thrown) {
    throw new RequestError(ERROR.genErr, place + 1, messageOf(thrown));
  }
}

function givenBy(rendered: unknown): GivenValue {
  if (typeof rendered === 'string' || typeof rendered === 'number') return rendered;
  return rendered === null || rendered === undefined ? null : JSON.stringify(rendered);
}
