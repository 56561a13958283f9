import type { CompiledMock, CompileTools, Delay, Pattern, TestResult } from '@backlot/core/plugin';
import type { HttpAnswer } from '@backlot/kit/http';
import { compileResult, type CompiledResult } from './answer/result.js';
import { compileStream, type StreamEntry } from './answer/stream-entry.js';
import type { OperationType } from './document/operation.js';
import { compileDocument } from './match/document.js';
import { compileVariables, type VariableCondition } from './match/variables.js';
import type { GraphqlMessage } from './message.js';
import type { GraphqlMock } from './schemas.js';

/** A compiled mock. */
export class CompiledGraphql implements CompiledMock<GraphqlMessage> {
  // What every operation reads comes first: with thousands of mocks each is cold, and these few share its cache lines.
  readonly #type: OperationType | undefined;
  /** The only name that can match, for the index. */
  readonly name: string | undefined;
  /** Whether that name always matches. */
  readonly #isPlain: boolean;
  readonly #variables: readonly VariableCondition[];
  /** The finished answer of a mock that always gives the same, to whoever takes JSON. */
  readonly only: HttpAnswer | undefined;
  readonly result: CompiledResult;
  /** Absent for a mock that gives one answer. */
  readonly stream: readonly StreamEntry[] | undefined;
  /** What is waited for before each part that the client has put off. */
  readonly deferredDelay: Delay;
  readonly #pattern: Pattern;
  readonly #document: Pattern;
  /** The first condition that wants an exact value, for the index. */
  readonly variable: VariableCondition | undefined;

  /** The only document that can match, for the index. */
  get document(): string | undefined {
    return this.#document.any ? undefined : this.#document.exact;
  }

  constructor(
    mock: Pick<GraphqlMock, 'operation_type' | 'operation_name'>,
    pattern: Pattern,
    variables: readonly VariableCondition[],
    result: CompiledResult,
    stream: readonly StreamEntry[] | undefined,
    deferredDelay: Delay,
    document: Pattern,
  ) {
    this.#document = document;
    this.deferredDelay = deferredDelay;
    this.#type = mock.operation_type;
    this.name = pattern.any ? undefined : pattern.exact;
    this.#isPlain = typeof mock.operation_name === 'string' && this.name !== undefined;
    this.#variables = variables;
    this.only = stream === undefined ? result.fixedAnswer : undefined;
    this.result = result;
    this.stream = stream;
    this.#pattern = pattern;
    this.variable = variables.find(({ exact }) => exact !== undefined);
  }

  test(message: GraphqlMessage): TestResult {
    const { method, name } = message;
    const fits = this.#isPlain ? name === this.name : this.#pattern.test(name, message);
    if (!fits) return () => this.#pattern.reason('operation_name', name, message);
    if (this.#type !== undefined && this.#type !== method)
      return () => `operation_type: got "${method}", want "${this.#type ?? ''}"`;
    // A mock for everything must not take away from tools what they ask before they begin.
    if (this.name === undefined && this.#document.any && message.asksAboutSchema)
      return 'the operation asks about the schema, which only a mock with its exact operation_name or its document answers';
    if (!this.#document.any && !this.#document.test(message.document, message))
      return () => this.#document.reason('document', message.document, message);
    for (const condition of this.#variables) {
      const result = condition.test(message);
      if (result !== true) return result;
    }
    return true;
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Compiles one effective mock. */
export function compileMock(mock: GraphqlMock, tools: CompileTools): CompiledGraphql {
  const { operation_type: type, stream } = mock;
  if (stream !== undefined) {
    if (type === 'query' || type === 'mutation') {
      tools.problem('/stream', `a ${type} has one answer; a stream needs the operation_type subscription`);
    }
    for (const field of ['response', 'errors'] as const) {
      if (mock[field] !== undefined && !isEmptyList(mock[field]))
        tools.problem(`/${field}`, `a mock with a stream has no ${field}; put the result into the stream`);
    }
  }
  return new CompiledGraphql(
    mock,
    tools.pattern(mock.operation_name, '/operation_name'),
    compileVariables(mock.variables, tools),
    compileResult(mock, tools),
    compileStream(stream, tools),
    tools.delay(mock.deferred_delay, '/deferred_delay'),
    compileDocument(mock.document, tools),
  );
}
