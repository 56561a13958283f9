import type { CompileTools, Match } from '@backlot/core/plugin';
import type { HttpAnswer } from '@backlot/kit/http';
import type { GraphqlMock } from '../schemas.js';
import { resultAnswer, type MediaType } from './result-answer.js';

/** The keys of an execution result (GraphQL, section 7.1). */
const RESULT_KEYS: ReadonlySet<string> = new Set(['data', 'errors', 'extensions']);

/** An execution result as a mock gives it. */
export interface GivenResult {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
  }[];
  readonly extensions?: unknown;
}

/** The execution result of a mock, compiled. */
export class CompiledResult {
  readonly #make: (match: Match) => object;
  /** The result of a mock without tags, as JSON. */
  readonly #fixed: string | undefined;
  /** The answer of a mock without tags to whoever takes JSON. */
  readonly fixedAnswer: HttpAnswer | undefined;

  constructor(make: (match: Match) => object, fixed: string | undefined) {
    this.#make = make;
    this.#fixed = fixed;
    this.fixedAnswer = fixed === undefined ? undefined : resultAnswer(fixed, 'application/json');
  }

  /** The result as JSON, where it is the same each time. */
  get constant(): string | undefined {
    return this.#fixed;
  }

  /** The result as a value. */
  value(match: Match): GivenResult {
    return this.#make(match);
  }

  /** The result as JSON. */
  render(match: Match): string {
    return this.#fixed ?? JSON.stringify(this.#make(match));
  }

  /** The result as an answer. */
  answer(match: Match, type: MediaType): HttpAnswer {
    if (type === 'application/json' && this.fixedAnswer !== undefined) return this.fixedAnswer;
    return resultAnswer(this.render(match), type);
  }
}

/**
 * Compiles `response` and `errors`. A response that has no other keys than those of a result is the whole result;
 * else it is the data. Without both the data is empty.
 */
export function compileResult(
  { response: given, errors: listed }: Pick<GraphqlMock, 'response' | 'errors'>,
  tools: CompileTools,
): CompiledResult {
  // An answer must not hold an empty list of errors (GraphQL, section 7.1).
  const errors = listed?.length === 0 ? undefined : listed;
  const response = given ?? (errors === undefined ? {} : undefined);
  const isWhole = response !== undefined && isResult(response);
  if (isWhole) checkResult(response, errors, tools);
  const responses = response && tools.value(response, '/response');
  const failures = errors && tools.value(errors, '/errors');
  const isConstant = (responses?.constant ?? true) && (failures?.constant ?? true);
  return new CompiledResult(
    (match) =>
      makeResult(responses && match.renderValue(responses), isWhole, failures && match.renderValue(failures)),
    isConstant ? JSON.stringify(makeResult(response, isWhole, errors)) : undefined,
  );
}

function makeResult(response: unknown, isWhole: boolean, errors: unknown): object {
  const result = isWhole ? (response as object) : response === undefined ? {} : { data: response };
  return errors === undefined ? result : { ...result, errors };
}

function isResult(response: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(response);
  return keys.every((key) => RESULT_KEYS.has(key)) && (keys.includes('data') || keys.includes('errors'));
}

function checkResult(
  { errors: own }: Readonly<Record<string, unknown>>,
  errors: GraphqlMock['errors'],
  tools: CompileTools,
): void {
  if (own === undefined) return;
  if (errors !== undefined)
    tools.problem('/errors', 'errors are given twice; give them beside the response or inside it, not both');
  const isList = Array.isArray(own) && own.length > 0 && own.every(isError);
  if (!isList) tools.problem('/response/errors', 'must be a list of objects that each have a message');
}

function isError(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { message?: unknown }).message === 'string'
  );
}
