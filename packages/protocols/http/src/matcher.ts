import type {
  CompiledMock,
  CompiledWebhook,
  CompileTools,
  MockFault,
  PathPattern,
  TestResult,
  Upstream,
} from '@backlot/core/plugin';
import type { HttpAnswer } from '@backlot/kit/http';
import { compileMockFault } from './answer/mock-fault.js';
import { compileReplies, type Replies } from './answer/replies.js';
import { compileStream, type CompiledStream } from './answer/compiled-stream.js';
import { compileAlternatives, type Alternatives } from './match/alternatives.js';
import { compileConditions, type Condition } from './match/conditions.js';
import { compileMethod, testMethod } from './match/method.js';
import { compileCaptures, compilePath, type PathCondition } from './match/path.js';
import { compileUpstream } from './answer/compiled-upstream.js';
import type { HttpMessage } from './message.js';
import type { HttpMock } from './schemas.js';

/** A compiled HTTP mock. */
export class CompiledHttp implements CompiledMock<HttpMessage> {
  // What every request reads comes first: with thousands of mocks each is cold, and these few share its cache lines.
  readonly method: string | undefined;
  readonly #needsPathTest: boolean;
  readonly #conditions: readonly Condition[] | undefined;
  readonly #alternatives: Alternatives | undefined;
  /** The finished answer of a mock that always gives the same at once. */
  readonly only: HttpAnswer | undefined;
  declare readonly fault?: MockFault;
  /** The server that answers in its place. */
  declare readonly upstream?: Upstream;
  declare readonly webhooks?: readonly CompiledWebhook[];
  declare readonly params?: (message: HttpMessage) => Readonly<Record<string, string>>;
  readonly path: PathCondition;
  readonly replies: Replies;
  readonly stream: CompiledStream | undefined;

  constructor(
    path: PathCondition,
    method: string | undefined,
    conditions: readonly Condition[],
    alternatives: Alternatives | undefined,
    replies: Replies,
    stream: CompiledStream | undefined,
    fault: MockFault | undefined,
    webhooks: readonly CompiledWebhook[] | undefined,
    upstream: Upstream | undefined,
  ) {
    this.method = method;
    this.#needsPathTest = path.main.regex || path.also !== undefined;
    this.#conditions = conditions.length === 0 ? undefined : conditions;
    this.#alternatives = alternatives;
    this.only = stream === undefined && upstream === undefined ? replies.only : undefined;
    if (upstream !== undefined) this.upstream = upstream;
    this.path = path;
    this.replies = replies;
    this.stream = stream;
    if (fault !== undefined) this.fault = fault;
    if (webhooks !== undefined) this.webhooks = webhooks;
    // Without captures core need not ask for them once per match.
    const captures = compileCaptures(path);
    if (alternatives?.hasCaptures === true)
      this.params = (message) => Object.assign(alternatives.params(message), captures?.(message.split));
    else if (captures !== undefined) this.params = (message) => captures(message.split);
  }

  /** What the index finds it by: its path, or the paths of the requests of which one is enough. */
  get paths(): readonly PathPattern[] {
    const { source } = this.path.main;
    return this.#alternatives !== undefined && (source === '' || source === '*')
      ? this.#alternatives.paths
      : [this.path.main];
  }

  test(message: HttpMessage, isFound = false): TestResult {
    if (this.#needsPathTest || !isFound) {
      const { main, also } = this.path;
      if (!main.test(message.split)) return () => main.reason(message.split);
      if (also !== undefined && !also.test(message.split)) return () => also.reason(message.split);
    }
    const alternatives = this.#alternatives;
    // Whether a preflight is taken is for each of several requests to say.
    if (this.method !== undefined || alternatives === undefined) {
      const method = testMethod(this.method, message);
      if (method !== true) return method;
    }
    if (this.#conditions !== undefined) {
      for (const condition of this.#conditions) {
        const result = condition(message);
        if (result !== true) return result;
      }
    }
    return alternatives === undefined ? true : alternatives.test(message);
  }

  get isOrdered(): boolean {
    return this.replies.isOrdered;
  }
}

/** Compiles one effective mock. */
export function compileMock(mock: HttpMock, tools: CompileTools): CompiledHttp {
  const stream = compileStream(mock, tools);
  return new CompiledHttp(
    compilePath(mock.request, tools, '/request'),
    compileMethod(mock.request.method, tools, '/request/method'),
    compileConditions(mock.request, tools, '/request'),
    compileAlternatives(mock.request.any_of, tools, '/request/any_of'),
    compileReplies(mock, stream, tools),
    stream,
    compileMockFault(mock.fault, tools, '/fault'),
    tools.webhooks(mock.webhooks, '/webhooks'),
    compileUpstream(mock, tools),
  );
}
