import type { CompiledMock, CompileTools, Pattern, TestResult, ValueOf } from '@backlot/core/plugin';
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
  return new SipMatcher(response, provisional, method, uri, isExact, also);
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

  constructor(
    response: ResponseTemplate,
    provisional: readonly ResponseTemplate[],
    method: string | undefined,
    pattern: Pattern,
    isExact: boolean,
    also: Pattern | undefined,
  ) {
    this.uri = pattern.exact;
    this.method = method;
    this.#isExact = isExact;
    this.#also = also;
    this.response = response;
    this.provisional = provisional;
    this.#pattern = pattern;
  }

  test(message: SipMessage): TestResult {
    const { path } = message;
    const { uri, method } = this;
    const also = this.#also;
    const fits = this.#isExact ? uri === path : this.#pattern.test(path);
    if (!fits) return () => this.#pattern.reason('uri', path);
    if (also !== undefined && !also.test(path)) return () => also.reason('uri', path);
    if (method !== undefined && message.method !== method) {
      return () => `method: got "${message.method}", want "${method}"`;
    }
    message.fitting = this;
    return true;
  }
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
