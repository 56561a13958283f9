import type { StoredMock } from '../contract/given.js';
import type { ScenarioPatch } from '../contract/scenario.js';
import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { MockIndex } from '../contract/mock-index.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid, type BacklotError, type Problem } from '../errors.js';
import { mockSchemaOf } from '../contract/whole-schemas.js';
import { deepFreeze } from '../validation/freeze.js';
import { isTested } from '../validation/tested.js';
import { createValidator, type Validator } from '../validation/validator.js';
import type { CheckedMock } from './checked-mocks.js';
import { applyScenarioPatches } from './apply-patch.js';
import type { HostParts } from './compile-tools.js';
import { changesShared, countsMatches, findShared } from './find-shared.js';
import { compileMock, EffectiveMock, type MockPlace } from './live-mock.js';
import type { MockCounter } from './counters.js';

/** What is wrong with a mock. */
export interface Refusal {
  readonly problems: readonly Problem[];
}

const ALLOWED = { problems: [], warnings: [] };

/** A valid mock, compiled; it can be given its place any number of times. */
export interface ReadyMock {
  at(place: MockPlace): EffectiveMock;
}

/** A mock with scenario patches applied; `ready` is absent when a patch disables it. */
export interface PatchedMock {
  readonly ready: ReadyMock | undefined;
}

/** Checks and compiles the mocks of one kind, with and without the patches of scenarios. */
export class MockCompiler {
  readonly #protocol: Protocol;
  readonly #validator: Validator;
  readonly #index: MockIndex<Message, CompiledMock<Message>>;
  readonly #counterOf: (id: string) => MockCounter;
  readonly #host: HostParts | undefined;
  readonly #warn: (id: string, warning: Problem) => void;

  /**
   * @param warn - takes what a new mock says and hardly means, with its place
   * @param host - what parts of mocks use of the host
   */
  constructor(
    protocol: Protocol,
    index: MockIndex<Message, CompiledMock<Message>>,
    counterOf: (id: string) => MockCounter,
    warn: (id: string, warning: Problem) => void,
    host?: HostParts,
  ) {
    this.#host = host;
    this.#warn = warn;
    this.#protocol = protocol;
    this.#index = index;
    this.#validator = createValidator(mockSchemaOf(protocol));
    this.#counterOf = counterOf;
  }

  get kind(): string {
    return this.#protocol.kind;
  }

  /** What people call one of them: `queue rule`. */
  get noun(): string {
    return `${this.#protocol.kind} ${this.#protocol.mocks.noun}`;
  }

  get protocol(): Protocol {
    return this.#protocol;
  }

  /** Makes ready a part of what checks mocks. Says whether that was still to be done. */
  prepare(): boolean {
    return this.#validator.prepare();
  }

  /** @throws BacklotError `invalid` with every problem, each below `base` */
  compile(value: StoredMock, base = ''): ReadyMock {
    return this.accept(this.check(value, base), base);
  }

  /** The mock with these patches; `undefined` when there are none. */
  patch(value: StoredMock, patches: readonly ScenarioPatch[]): PatchedMock | Refusal | undefined {
    if (patches.length === 0) return undefined;
    const patched = applyScenarioPatches(this.#protocol, value, patches);
    if ('problems' in patched) return patched;
    if (patched.isDisabled) return { ready: undefined };
    const result = this.#compile(deepFreeze(patched.value) as StoredMock);
    return 'problems' in result ? result : { ready: result };
  }

  /** Like {@link patch}, but patches that do not fit are skipped: their scenario says so in its `problems`. */
  patchWithFitting(value: StoredMock, patches: readonly ScenarioPatch[]): PatchedMock | undefined {
    const all = this.patch(value, patches);
    if (all === undefined || isFitting(all)) return all;
    const single = patches.filter((patch) => isFitting(this.patch(value, [patch])));
    const rest = this.patch(value, single);
    return isFitting(rest) ? rest : undefined;
  }

  /** @throws BacklotError `invalid` when there are problems */
  refuse(problems: readonly Problem[]): void {
    if (problems.length > 0) throw this.#refusal(problems, '');
  }

  #refusal(found: readonly Problem[], base: string): BacklotError {
    const problems = found.map((problem) => ({ ...problem, path: base + problem.path }));
    const [first] = problems;
    const where = first === undefined || first.path === '' ? '' : ` ${first.path}`;
    const more = problems.length <= 1 ? '' : ` (and ${problems.length - 1} more)`;
    return invalid(`${this.noun}${where}: ${first?.message ?? 'is not valid'}${more}`, problems);
  }

  /** @throws BacklotError `invalid` with every problem, each below `base` */
  check(value: StoredMock, base: string): CheckedMock {
    const result = this.#check(value);
    if ('problems' in result) throw this.#refusal(result.problems, base);
    return result;
  }

  /** A valid new mock, ready for its place; its warnings are passed on, each below `base`. */
  accept(checked: CheckedMock, base: string): ReadyMock {
    const { value, warnings } = checked;
    const broken = this.#admit(checked, base);
    for (const { path, message } of [...warnings, ...broken])
      this.#warn(value.id, { path: base + path, message });
    return this.#ready(checked);
  }

  /** A valid mock that is only tried: nobody is told of it, and what its contract warns of is given back. */
  examine(value: StoredMock): { readonly ready: ReadyMock; readonly warnings: readonly Problem[] } {
    const checked = this.check(value, '');
    const warnings = this.#admit(checked, '');
    return { ready: this.#ready(checked), warnings };
  }

  /** @returns what the contract warns of. @throws BacklotError `invalid` for what no mock of this host can be */
  #admit(checked: CheckedMock, base: string): readonly Problem[] {
    const unshared = this.#unshared(checked);
    if (unshared.length > 0) throw this.#refusal(unshared, base);
    const { problems, warnings } = this.#disallowed(checked);
    if (problems.length > 0) throw this.#refusal(problems, base);
    return warnings;
  }

  /** What the contract of the kind does not allow of a mock, where it warns of that. */
  warningsOf(value: StoredMock): readonly Problem[] {
    if (this.#host?.contract?.()?.mode !== 'warn') return [];
    const result = this.#check(value);
    return 'problems' in result ? [] : this.#disallowed(result).warnings;
  }

  /** A mock that the check of the same settings has compiled, for this host. */
  adopt(checked: CheckedMock): CheckedMock {
    const { responder } = checked.core;
    if (responder === undefined) return checked;
    return { ...checked, core: { ...checked.core, responder: responder.in(this.#index, this.#host) } };
  }

  #ready(checked: CheckedMock): ReadyMock {
    const { value, compiled, core: own } = checked;
    const isShared = this.#host?.sharedCounts !== undefined && countsMatches(checked);
    const isChanging = this.#host?.sharesChanges === true && changesShared(checked);
    const core = isShared || isChanging ? { ...own, isShared, isChanging } : own;
    return { at: (place) => new EffectiveMock(value, compiled, core, place, this.#counterOf(value.id)) };
  }

  #compile(value: StoredMock): ReadyMock | Refusal {
    const result = this.#check(value);
    if ('problems' in result) return result;
    const problems = [...this.#unshared(result), ...this.#disallowed(result).problems];
    return problems.length > 0 ? { problems } : this.#ready(result);
  }

  /** Why a mock cannot be one of a replica. */
  #unshared(checked: CheckedMock): readonly Problem[] {
    if (this.#host?.isReplica !== true) return [];
    const { mode, schema } = this.#protocol.mocks;
    return findShared(checked, {
      counts: this.#host.sharedCounts !== undefined,
      changes: this.#host.sharesChanges === true,
      shown: mode === 'items' ? Object.keys(schema.properties) : [],
    });
  }

  /** What the contract of the kind does not allow of a mock: problems where it is enforced, else warnings. */
  #disallowed({ value, compiled }: CheckedMock): {
    readonly problems: readonly Problem[];
    readonly warnings: readonly Problem[];
  } {
    const contract = this.#host?.contract?.();
    if (contract === undefined) return ALLOWED;
    const found = contract.problemsOf(value, compiled);
    return contract.mode === 'enforce'
      ? { problems: found, warnings: [] }
      : { problems: [], warnings: found };
  }

  /** A kind whose mocks have no functions does not know the field, and says so itself. */
  #withoutUnfitFunction(value: StoredMock): object {
    if (value.respond === undefined || this.#protocol.mocks.answer !== undefined) return value;
    const { respond: _respond, ...rest } = value;
    return rest;
  }

  /** What is wrong with a mock that has an upstream where only its kind can have one. */
  #withoutUpstream(problem: Problem): Problem {
    const { mocks, kind } = this.#protocol;
    if (problem.path !== '/upstream' || Object.hasOwn(mocks.schema.properties, 'upstream')) return problem;
    const others = this.#host?.kindsWith?.('upstream') ?? [];
    const known = others.length === 0 ? '' : `, as mocks of ${others.join(', ')} have`;
    return {
      ...problem,
      message: `mocks of ${kind} have no upstream of their own${known}; give one to the kind, as in upstream: { url: ..., mode: spy }, which is asked for what no mock matches`,
    };
  }

  #check(value: StoredMock): CheckedMock | Refusal {
    const problems = isTested(value)
      ? []
      : this.#validator
          .check(this.#withoutUnfitFunction(value))
          .map((problem) => this.#withoutUpstream(problem));
    const result = compileMock(this.#protocol, value, this.#index, this.#host);
    if (problems.length > 0) {
      return {
        problems: 'problems' in result ? [...problems, ...elsewhere(result.problems, problems)] : problems,
      };
    }
    return 'problems' in result ? result : { value, ...result };
  }
}

function isFitting(result: PatchedMock | Refusal | undefined): result is PatchedMock {
  return result !== undefined && !('problems' in result);
}

/**
 * Problems of parts that the schema has nothing against. What the compiler says of a value of the wrong form, or of the
 * mock as a whole, only repeats what the schema said.
 */
function elsewhere(found: readonly Problem[], known: readonly Problem[]): readonly Problem[] {
  const touches = (a: string, b: string): boolean =>
    a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  return found.filter(({ path }) => path !== '' && !known.some((problem) => touches(problem.path, path)));
}
