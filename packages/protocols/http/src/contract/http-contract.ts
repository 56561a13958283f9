import { ANY, loadSource, OpenApiContract, type ApiAnswer, type ApiRequest } from '@backlot/contracts';
import type { ContractSource, LoadedContract, MockViolation } from '@backlot/core/plugin';
import type { HttpAnswer } from '@backlot/kit/http';
import type { CompiledHttp } from '../matcher.js';
import type { HttpMessage } from '../message.js';
import type { HttpMock } from '../schemas.js';

/** Answers of a sequence that are looked at. */
const MOST_ANSWERS = 100;

/** An OpenAPI document that requests, answers and mocks of HTTP are held to. */
export class HttpContract implements LoadedContract {
  readonly document: OpenApiContract;

  constructor(document: OpenApiContract) {
    this.document = document;
  }

  get operations(): LoadedContract['operations'] {
    return this.document.operations;
  }

  get digest(): string {
    return this.document.digest;
  }

  checkMock(mock: Readonly<Record<string, unknown>>, compiled: unknown): readonly MockViolation[] {
    const { request, response, sequence = [], stream } = mock as unknown as HttpMock;
    const { path, method } = request;
    // Which operations several alternatives or an expression are for is known only when a request comes.
    if (path === undefined || path.startsWith('re:') || request.any_of !== undefined) return [];
    if (request.path_regex !== undefined || method === undefined || method === '*' || method === '')
      return [];
    const segments = path.split('/').map((segment) => (/[{*]/.test(segment) ? ANY : segment));
    const found = this.document.operationAt(method, segments.join('/'));
    if (typeof found === 'string') {
      // A pattern may match what the document has as something else.
      if (segments.includes(ANY)) return [];
      return [{ path: '/request', message: `${method.toUpperCase()} ${path} has no operation in it` }];
    }
    if (stream !== undefined) return [];
    const { replies } = compiled as CompiledHttp;
    const count = Math.min(Math.max(1, sequence.length), MOST_ANSWERS);
    const violations = Array.from({ length: count }, (_, index) => {
      const { fixed } = replies.pick(index + 1);
      if (fixed === undefined) return [];
      const at = sequence.length === 0 ? (response === undefined ? '' : '/response') : `/sequence/${index}`;
      return this.document.checkAnswer(found.name, answerOf(fixed)).violations.map((violation) => ({
        path: at,
        message: `${shownPath(violation.path)} ${violation.message}`,
      }));
    });
    return violations.flat();
  }
}

/** Reads the document that the settings name. */
export async function loadHttpContract({ file, seed }: ContractSource): Promise<HttpContract> {
  return new HttpContract(new OpenApiContract(await loadSource(file), { seed }));
}

/** A request as a document sees it. */
export function requestOf(message: HttpMessage): ApiRequest {
  const mark = message.target.indexOf('?');
  return {
    method: message.method,
    path: message.path,
    query: mark < 0 ? '' : message.target.slice(mark + 1),
    headers: message.headers,
    body: message.body,
  };
}

/** An answer as a document sees it. */
export function answerOf({ status, headers, body }: HttpAnswer): ApiAnswer {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { status, headers: lower, body };
}

/** The place in a body as people know it, without the step to the body. */
function shownPath(path: string): string {
  if (path === '/body') return 'the body';
  return path.startsWith('/body/') ? path.slice('/body'.length) : path;
}
