import type {
  CompiledMock,
  CompiledWebhook,
  CompileTools,
  MockFault,
  TestResult,
} from '@backlot/core/plugin';
import type { HttpAnswer } from '@backlot/kit/http';
import { compileMockFault } from './answer/mock-fault.js';
import { compileReplies, type Replies } from './answer/replies.js';
import { compileStream, type CompiledStream } from './answer/compiled-stream.js';
import { compileConditions, type Condition } from './match/conditions.js';
import { compileMethod, testMethod } from './match/method.js';
import { compileCaptures, compilePath, type PathCondition } from './match/path.js';
import type { HttpMessage } from './message.js';
import type { HttpMock } from './schemas.js';

/** A compiled HTTP mock. */
export class CompiledHttp implements CompiledMock<HttpMessage> {
  // What every request reads comes first: with thousands of mocks each is cold, and these few share its cache lines.
  readonly method: string | undefined;
  readonly #needsPathTest: boolean;
  readonly #conditions: readonly Condition[] | undefined;
  /** The finished answer of a mock that always gives the same at once. */
  readonly only: HttpAnswer | undefined;
  declare readonly fault?: MockFault;
  declare readonly webhooks?: readonly CompiledWebhook[];
  declare readonly params?: (message: HttpMessage) => Readonly<Record<string, string>>;
  readonly path: PathCondition;
  readonly replies: Replies;
  readonly stream: CompiledStream | undefined;

  constructor(
    path: PathCondition,
    method: string | undefined,
    conditions: readonly Condition[],
    replies: Replies,
    stream: CompiledStream | undefined,
    fault: MockFault | undefined,
    webhooks: readonly CompiledWebhook[] | undefined,
  ) {
    this.method = method;
    this.#needsPathTest = path.main.regex || path.also !== undefined;
    this.#conditions = conditions.length === 0 ? undefined : conditions;
    this.only = stream === undefined ? replies.only : undefined;
    this.path = path;
    this.replies = replies;
    this.stream = stream;
    if (fault !== undefined) this.fault = fault;
    if (webhooks !== undefined) this.webhooks = webhooks;
    // Without captures core need not ask for them once per match.
    const captures = compileCaptures(path);
    if (captures !== undefined) this.params = (message) => captures(message.split);
  }

  test(message: HttpMessage, isFound = false): TestResult {
    if (this.#needsPathTest || !isFound) {
      const { main, also } = this.path;
      if (!main.test(message.split)) return () => main.reason(message.split);
      if (also !== undefined && !also.test(message.split)) return () => also.reason(message.split);
    }
    const method = testMethod(this.method, message);
    if (method !== true || this.#conditions === undefined) return method;
    for (const condition of this.#conditions) {
      const result = condition(message);
      if (result !== true) return result;
    }
    return true;
  }
}

/** Compiles one effective mock. */
export function compileMock(mock: HttpMock, tools: CompileTools): CompiledHttp {
  const stream = compileStream(mock, tools);
  return new CompiledHttp(
    compilePath(mock.request, tools, '/request'),
    compileMethod(mock.request.method, tools, '/request/method'),
    compileConditions(mock.request, tools, '/request'),
    compileReplies(mock, stream, tools),
    stream,
    compileMockFault(mock.fault, tools, '/fault'),
    tools.webhooks(mock.webhooks, '/webhooks'),
  );
}
