import type { CompiledMock, CompiledWebhook, CompileTools, MockFault, TestResult } from '@backlot/core/plugin';
import { compileMockFault } from './answer/mock-fault.js';
import { compileReplies, type Replies } from './answer/replies.js';
import { compileStream, type CompiledStream } from './answer/compiled-stream.js';
import { compileConditions, type Condition } from './match/conditions.js';
import { compilePath, readCaptures, type PathCondition } from './match/path.js';
import type { HttpMessage } from './message.js';
import type { HttpMock } from './schemas.js';

/** A compiled HTTP mock. */
export class CompiledHttp implements CompiledMock<HttpMessage> {
  declare readonly fault?: MockFault;
  declare readonly webhooks?: readonly CompiledWebhook[];
  declare readonly params?: (message: HttpMessage) => Readonly<Record<string, string>>;

  constructor(
    readonly path: PathCondition,
    readonly conditions: readonly Condition[],
    readonly replies: Replies,
    readonly stream: CompiledStream | undefined,
    fault: MockFault | undefined,
    webhooks: readonly CompiledWebhook[] | undefined,
  ) {
    if (fault !== undefined) this.fault = fault;
    if (webhooks !== undefined) this.webhooks = webhooks;
    // Without captures core need not ask for them once per match.
    if (path.captures) this.params = (message) => readCaptures(path, message.split);
  }

  test(message: HttpMessage): TestResult {
    const { main, also } = this.path;
    if (!main.test(message.split)) return () => main.reason(message.split);
    if (also !== undefined && !also.test(message.split)) return () => also.reason(message.split);
    for (const condition of this.conditions) {
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
    compileConditions(mock.request, tools, '/request'),
    compileReplies(mock, stream, tools),
    stream,
    compileMockFault(mock.fault, tools, '/fault'),
    tools.webhooks(mock.webhooks, '/webhooks'),
  );
}
