import {
  compileHeaders,
  type CompiledMock,
  type CompileTools,
  type FieldConditions,
  type Pattern,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import { isHeaderName } from '@backlot/kit/http';
import type { SipMessage } from './message.js';
import { isKnownMethod } from './methods.js';
import { compileResponse, type ResponseTemplate } from './response-template.js';
import type { MockSchema } from './schemas.js';

/** A compiled mock. */
export interface CompiledSip extends CompiledMock<SipMessage> {
  readonly response: ResponseTemplate;
  readonly provisional: readonly ResponseTemplate[];
  /** `undefined`: any. */
  readonly method: string | undefined;
  /** The only URI that fits, where there is but one. */
  readonly uri: string | undefined;
  test(message: SipMessage): TestResult;
}

/** Compiles a mock. Mocks for one exact URI are found by it, so that their number does not matter. */
export function compileMock(mock: ValueOf<typeof MockSchema>, tools: CompileTools): CompiledSip {
  const method = compileMethod(mock.method, tools);
  const uri = tools.pattern(mock.uri, '/uri');
  const regex = mock.uri_regex === undefined || mock.uri_regex === '' ? undefined : mock.uri_regex;
  const also = regex === undefined ? undefined : tools.pattern(`re:${regex}`, '/uri_regex');
  const response = compileResponse(mock.response ?? {}, '/response', tools);
  const provisional = (mock.provisional ?? []).map((each, index) =>
    compileResponse(typeof each === 'number' ? { status: each } : each, `/provisional/${index}`, tools),
  );
  // Other sources name one text that can match, and may ask for more.
  const isExact = typeof mock.uri === 'string' && uri.exact !== undefined;
  const body = tools.pattern(mock.body, '/body');
  const more =
    mock.headers === undefined && body.any
      ? undefined
      : { headers: compileHeaders(mock.headers, tools, '/headers'), body };
  return new SipMatcher(response, provisional, method, uri, isExact, also, more);
}

/** A class, since thousands of mocks with functions of their own are thousands of places that no cache holds. */
class SipMatcher implements CompiledSip {
  // What every match reads comes first.
  readonly uri: string | undefined;
  readonly method: string | undefined;
  readonly #isExact: boolean;
  readonly #also: Pattern | undefined;
  readonly response: ResponseTemplate;
  readonly provisional: readonly ResponseTemplate[];
  readonly #pattern: Pattern;
  readonly #more: More | undefined;

  constructor(
    response: ResponseTemplate,
    provisional: readonly ResponseTemplate[],
    method: string | undefined,
    pattern: Pattern,
    isExact: boolean,
    also: Pattern | undefined,
    more: More | undefined,
  ) {
    this.uri = pattern.exact;
    this.method = method;
    this.#isExact = isExact;
    this.#also = also;
    this.response = response;
    this.provisional = provisional;
    this.#pattern = pattern;
    this.#more = more;
  }

  test(message: SipMessage): TestResult {
    const { path } = message;
    const { uri, method } = this;
    const also = this.#also;
    const fits = this.#isExact ? uri === path : this.#pattern.test(path, message);
    if (!fits) return () => this.#pattern.reason('uri', path, message);
    if (also !== undefined && !also.test(path, message)) return () => also.reason('uri', path, message);
    if (method !== undefined && message.method !== method) {
      return () => `method: got "${message.method}", want "${method}"`;
    }
    const more = this.#more === undefined || testMore(this.#more, message);
    if (more !== true) return more;
    message.fitting = this;
    return true;
  }
}

/** What only some mocks look at. */
interface More {
  readonly headers: FieldConditions | undefined;
  readonly body: Pattern;
}

function testMore({ headers, body }: More, message: SipMessage): TestResult {
  const fits = headers === undefined || headers(message.headers, message);
  if (fits !== true) return fits;
  if (body.any || body.test(message.text, message)) return true;
  return () => body.reason('body', message.text, message);
}

function compileMethod(source: string | undefined, tools: CompileTools): string | undefined {
  if (source === undefined || source === '' || source === '*') return undefined;
  if (!isHeaderName(source)) {
    tools.problem(
      '/method',
      `${JSON.stringify(source)} is not a method; it must be one word such as INVITE, or * for any`,
    );
  }
  const upper = source.toUpperCase();
  const method = isKnownMethod(upper) ? upper : source;
  if (method === 'ACK' || method === 'CANCEL') {
    tools.problem(
      '/method',
      `${method} cannot be mocked: ACK has no answer, and CANCEL belongs to its INVITE; mock INVITE`,
    );
  }
  return method;
}
