import type { StoredFault } from '../contract/given.js';
import type { FaultCollection } from '../contract/host.js';
import type { Protocol } from '../contract/protocol.js';
import { BacklotError, invalid, type Problem } from '../errors.js';
import { faultSchemaOf } from '../contract/whole-schemas.js';
import type { CompiledFault } from '../pipeline/runtime.js';
import { frozenCopy } from '../validation/freeze.js';
import { defineOwn } from '../validation/pointer.js';
import type { Clock, Waiting } from '../time/clock.js';
import { parseDuration } from '../time/duration.js';
import { createValidator, type Validator } from '../validation/validator.js';
import { checkFault, compileFault } from './compile-fault.js';
import type { MatchSurroundings } from './compile-match.js';
import type { SavedFaultCounts } from './fault-counts.js';

/** The effective fault of a kind, looked at for each message. */
export interface EffectiveFault {
  readonly compiled: CompiledFault | undefined;
}

const NO_TOXICS: readonly unknown[] = Object.freeze([]);
const NO_FAULT: EffectiveFault = Object.freeze({ compiled: undefined });

interface Faultable extends EffectiveFault {
  readonly protocol: Protocol;
  readonly surroundings: MatchSurroundings;
  readonly validator: Validator;
  effective: StoredFault | undefined;
  compiled: CompiledFault | undefined;
}

/** A fault that was set. */
interface DirectFault {
  readonly fault: StoredFault;
  /** When it ends, in milliseconds since 1970; undefined for one that stays. */
  readonly until: number | undefined;
  readonly end: Waiting | undefined;
}

/** A snapshot of the direct faults, and of what those in effect have counted. */
export interface SavedFaults {
  readonly direct: readonly (readonly [kind: string, fault: StoredFault, until: number | undefined])[];
  readonly counts: readonly (readonly [string, SavedFaultCounts])[];
}

/** The faults of all kinds: direct ones, and what they are together with those of active scenarios and of incidents. */
export class FaultStore implements FaultCollection {
  readonly #kinds = new Map<string, Faultable>();
  readonly #direct = new Map<string, DirectFault>();
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<() => void>>();
  /** The faults of active scenarios for a kind, in order of activation. */
  overlays: (kind: string) => readonly StoredFault[] = () => [];

  /** The fault of an incident that befalls a kind, which takes the place of all others. */
  incidentOf: (kind: string) => StoredFault | undefined = () => undefined;

  /** What is wrong with the toxics of a fault; `base` is the JSON pointer of their list. */
  checkToxics: (kind: string, list: readonly unknown[], base: string) => Problem[] = () => [];

  readonly #isReplica: boolean;

  /**
   * @param clock - by which faults end
   * @param isReplica - whether other hosts answer the same clients, so that faults that count are refused
   */
  constructor(clock: Clock, isReplica = false) {
    this.#clock = clock;
    this.#isReplica = isReplica;
  }

  /**
   * Makes a kind known; one without a fault declaration cannot be faulted.
   *
   * @param surroundings - what the matches of its faults are compiled with
   * @returns what holds the effective fault of the kind from now on, ready to be rolled
   */
  declare(protocol: Protocol, surroundings: MatchSurroundings): EffectiveFault {
    const schema = faultSchemaOf(protocol);
    if (schema === undefined) return NO_FAULT;
    const validator = createValidator(schema);
    const faultable: Faultable = {
      protocol,
      surroundings,
      validator,
      effective: undefined,
      compiled: undefined,
    };
    this.#kinds.set(protocol.kind, faultable);
    return faultable;
  }

  /**
   * Calls back when the effective fault of a kind may have changed.
   *
   * @returns a function that ends the subscription
   */
  onChange(kind: string, callback: () => void): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners.add(callback));
    return () => void listeners.delete(callback);
  }

  canFault(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  all(): Readonly<Record<string, StoredFault>> {
    const all = {};
    for (const [kind, direct] of this.#direct) defineOwn(all, kind, this.#withLeft(kind, direct.fault));
    return all;
  }

  get(kind: string): StoredFault | undefined {
    this.#kindOf(kind);
    const direct = this.#direct.get(kind);
    return direct && this.#withLeft(kind, direct.fault);
  }

  set(kind: string, fault: unknown): StoredFault {
    this.#kindOf(kind);
    const problems = this.check(kind, fault);
    const [first] = problems;
    if (first !== undefined) throw invalid(`${kind} fault${first.path}: ${first.message}`, problems);
    const { left: _left, ...given } = fault as StoredFault;
    const stored = frozenCopy(given) as StoredFault;
    const { expires } = stored;
    this.#put(kind, stored, expires === undefined ? undefined : this.#clock.now() + parseDuration(expires));
    this.refresh(kind);
    return stored;
  }

  clear(kind: string): void {
    this.#kindOf(kind);
    this.#drop(kind);
    this.refresh(kind);
  }

  clearAll(): void {
    this.#dropAll();
    this.refreshAll();
  }

  effective(kind: string): StoredFault | undefined {
    const { effective } = this.#kindOf(kind);
    return effective && this.#withLeft(kind, effective);
  }

  /** Problems of a fault; `base` is the JSON pointer of the fault. */
  check(kind: string, fault: unknown, base = ''): Problem[] {
    const faultable = this.#kinds.get(kind);
    if (faultable === undefined) return [{ path: base, message: notFaultable(kind) }];
    const problems = faultable.validator.check(fault, base);
    const isLogin = (fault as { phase?: unknown } | null)?.phase === 'login';
    return problems.length > 0
      ? problems.map((problem) =>
          isLogin && problem.path === `${base}/phase` ? { ...problem, message: loginless(kind) } : problem,
        )
      : [
          ...checkFault(faultable.protocol, fault as StoredFault, faultable.surroundings, base),
          ...((fault as StoredFault).toxics === undefined
            ? []
            : this.checkToxics(kind, (fault as StoredFault).toxics ?? [], `${base}/toxics`)),
          ...(this.#isReplica ? countsOf(fault as StoredFault, base) : []),
        ];
  }

  /** Works out the effective fault of a kind anew. */
  refresh(kind: string): void {
    const faultable = this.#kinds.get(kind);
    if (faultable === undefined) return;
    const before = faultable.effective;
    const layers = [this.#direct.get(kind)?.fault, ...this.overlays(kind)].filter(
      (fault) => fault !== undefined,
    );
    faultable.effective = this.incidentOf(kind) ?? (layers.length === 0 ? undefined : layers.reduce(overlay));
    faultable.compiled =
      faultable.effective === undefined
        ? undefined
        : compileFault(faultable.protocol, faultable.effective, faultable.surroundings);
    if (faultable.effective === before) return;
    for (const listener of [...(this.#listeners.get(kind) ?? [])]) listener();
  }

  /** The toxics of what is in effect. */
  toxicsOf(kind: string): readonly unknown[] {
    return this.#kinds.get(kind)?.effective?.toxics ?? NO_TOXICS;
  }

  refreshAll(): void {
    for (const kind of this.#kinds.keys()) this.refresh(kind);
  }

  save(): SavedFaults {
    return {
      direct: Array.from(this.#direct, ([kind, { fault, until }]) => [kind, fault, until]),
      counts: Array.from(
        this.#kinds,
        ([kind, { compiled }]) => [kind, compiled?.counts?.save()] as const,
      ).filter((entry): entry is [string, SavedFaultCounts] => entry[1] !== undefined),
    };
  }

  /** Puts a snapshot back; the scenarios have been put back before. */
  restore({ direct, counts }: SavedFaults): void {
    this.#dropAll();
    for (const [kind, fault, until] of direct)
      if (until === undefined || until > this.#clock.now()) this.#put(kind, fault, until);
    this.refreshAll();
    for (const [kind, saved] of counts) this.#kinds.get(kind)?.compiled?.counts?.restore(saved);
  }

  /** A fault as people see it: with what is left of it, where it counts. */
  #withLeft(kind: string, fault: StoredFault): StoredFault {
    const counts = this.#kinds.get(kind)?.compiled?.counts?.left;
    const until = fault.expires === undefined ? undefined : this.#direct.get(kind)?.until;
    const counted = fault.after === undefined && fault.times === undefined ? undefined : counts;
    if (counted === undefined && until === undefined) return fault;
    const expiry =
      until === undefined ? {} : { expires_ms: Math.max(0, Math.ceil(until - this.#clock.now())) };
    return { ...fault, left: { ...counted, ...expiry } };
  }

  #put(kind: string, fault: StoredFault, until: number | undefined): void {
    this.#drop(kind);
    const end =
      until === undefined
        ? undefined
        : this.#clock.after(until - this.#clock.now(), () => {
            this.#direct.delete(kind);
            this.refresh(kind);
          });
    this.#direct.set(kind, { fault, until, end });
  }

  #drop(kind: string): void {
    this.#direct.get(kind)?.end?.cancel();
    this.#direct.delete(kind);
  }

  #dropAll(): void {
    for (const kind of this.#direct.keys()) this.#drop(kind);
  }

  #kindOf(kind: string): Faultable {
    const faultable = this.#kinds.get(kind);
    if (faultable === undefined) throw new BacklotError('not_found', notFaultable(kind));
    return faultable;
  }
}

function notFaultable(kind: string): string {
  return `protocol "${kind}" is not installed or has no faults`;
}

function loginless(kind: string): string {
  return `must not be "login": clients of "${kind}" do not log in, or their logins cannot be faulted; use "message" or "connect"`;
}

/** Field by field, the later over the earlier; a fixed delay and a range replace each other. */
function overlay(under: StoredFault, over: StoredFault): StoredFault {
  const merged: Record<string, unknown> = { ...under };
  if (over.delay !== undefined) delete merged['delay_range'];
  if (over.delay_range !== undefined) delete merged['delay'];
  return Object.assign(merged, over);
}

/** What a fault counts, which several replicas would count each by itself. */
function countsOf(fault: StoredFault, base: string): readonly Problem[] {
  return (['after', 'times'] as const)
    .filter((field) => fault[field] !== undefined)
    .map((field) => ({
      path: `${base}/${field}`,
      message:
        'counts messages, which each replica would do for itself; say how long the fault lasts with `expires`, or delete it',
    }));
}
