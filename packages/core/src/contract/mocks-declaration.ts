import type { ExplainedForms } from './explained.js';
import type { CompiledMock } from './matcher.js';
import type { Message } from './message.js';
import type { MockIndex } from './mock-index.js';
import type { AnswerDeclaration } from './respond.js';
import type { CoreMock, TObject, TSchema, ValueOf } from './shape.js';
import type { CompileTools } from './tools.js';
import type { MockView } from './views.js';

/** What the mocks of a kind are, and how they are found. */
export interface MocksDeclaration<
  Mock extends TObject,
  Compiled extends CompiledMock<M>,
  M extends Message,
  Index extends MockIndex<M, Compiled> = MockIndex<M, Compiled>,
  List extends string = string,
  Field extends string = string,
  Direct extends string = string,
  Short extends TObject = TObject,
> {
  /** What one of them is called in messages: `mock`, `rule`, `mailbox`, `file`. */
  readonly noun: string;
  /** The configuration key of the list of mocks. */
  readonly configKey: List;
  /**
   * Further lists of mocks inside the configuration, as JSON pointers in which a step `*` stands for each element:
   * `/services/*\/mocks`. Mocks of equal priority rank behind those of `configKey`.
   */
  readonly furtherLists?: readonly string[];
  /** A short form that stands for several mocks, in the lists of a configuration. */
  readonly shorthand?: {
    /** The field that only the short form has. */
    readonly field: string;
    /** The schema of the whole entry. */
    readonly schema: Short;
    /** The mocks that an entry stands for, in order; core validates them. */
    expand(entry: ValueOf<Short>): readonly Readonly<Record<string, unknown>>[];
  };
  /**
   * `first`: the first match in rank order answers. `all`: every match answers, in rank order. `items`: nothing is
   * matched; the protocol reads `context.mocks.values()`.
   */
  readonly mode: 'first' | 'all' | 'items';
  /** The schema of the kind's own fields of a mock; core adds those of all kinds. */
  readonly schema: Mock;
  /**
   * Which part of a mock says what messages it is for: the `match` of the kind's faults has the same fields, and is
   * compiled by `compile`. When absent, as for kinds of mode `items`, the match has patterns for the `method` and the
   * `path` that the journal shows.
   */
  readonly matching?: {
    /** The fields; none is required in a match. */
    readonly fields: readonly string[];
    /** The schemas of those that have another one in a match, such as one that asks for less. */
    readonly schema?: Readonly<Record<string, TSchema>>;
    /** The mock that stands for a match: the match, with what every mock must have. The match itself when absent. */
    whole?(match: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  };
  /** Example mocks, shown by the docs, OpenAPI and `backlot init`; each must be valid. */
  readonly examples: readonly (ValueOf<Mock> & { readonly id?: string })[];
  /**
   * Compiles one mock in effect. It is called when the mock, or a scenario that patches it, changes; never for a
   * message.
   *
   * @param tools - compile patterns and templates with these: they note what is wrong, and core then refuses the mock
   * @param index - the kind's own index in this host: what `checkConfig` has kept there is at hand, for mocks whose
   * meaning depends on the configuration
   */
  compile(mock: CoreMock & ValueOf<Mock>, tools: CompileTools, index: Index): Compiled;
  /** How a page shows them among the data, where they are things of their own. */
  readonly view?: MockView;
  /** The index keys whose mocks may match the message; `['*']` when absent. */
  keys?(message: M): readonly string[];
  /** Makes the kind's own index, in place of `keys`; called once per host. */
  index?(): Index;
  /**
   * Whether it is normal that no mock matches, as for brokers and stores: then near misses are left out. Default false.
   */
  readonly quietWhenUnmatched?: boolean;
  /**
   * Whether the kind itself answers what no mock matches as it should be, as an inbox takes a mail: "explain" says `own` of it then,
   * and not `unmatched`. Default false.
   */
  readonly ownWhenUnmatched?: boolean;
  /**
   * Which fields of a mock the fields `status`, `headers` and `body` of a scenario patch replace, as JSON pointers. A
   * step `*` stands for each element of a list that is there; objects on the way that are missing are made.
   */
  readonly patchTargets?: {
    readonly status?: readonly string[];
    readonly headers?: readonly string[];
    readonly body?: readonly string[];
  };
  /** What `PATCH /api/mocks/<kind>/<id>` takes; without it there is no such route. */
  readonly patch?: {
    readonly schema: TObject;
    /** Gives the patched mock, which core then validates; must not change its arguments. */
    apply(mock: CoreMock & ValueOf<Mock>, patch: Readonly<Record<string, unknown>>): unknown;
  };
  /**
   * Which part of a mock is its answer, so that a function may make it: the function is called where a mock has matched,
   * and the protocol is given that mock as if it had held what the function has returned. When absent, mocks of the kind
   * cannot have functions.
   */
  readonly answer?: AnswerDeclaration<Field, Direct>;
  /**
   * Makes a message of the body of `POST /api/explain/<kind>`, which has the form of a journal entry. When absent, core
   * makes one of its common fields.
   */
  explain?(entry: Readonly<Record<string, unknown>>): M;
  /** How people may write that body beyond the form of a journal entry. */
  readonly explained?: ExplainedForms;
}
