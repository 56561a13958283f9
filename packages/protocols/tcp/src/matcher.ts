import {
  compileContent,
  type CompiledMock,
  type CompileTools,
  constantContent,
  type Template,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import { compileChanges, type StateChanges } from './connection-state.js';
import { isHex, parseHex } from './payload.js';
import type { MockSchema } from './schemas.js';
import type { TcpMessage } from './message.js';

type MockFields = ValueOf<typeof MockSchema>;

const MAX_SHOWN = 64;

/** A response that is always the same bytes, the message's own bytes, or a template. */
export type CompiledResponse =
  { readonly bytes: Buffer } | { readonly isEcho: true } | { readonly template: Template };

/** A compiled TCP mock. */
export interface CompiledTcp extends CompiledMock<TcpMessage> {
  /** The only bytes that match. */
  readonly exact: Buffer | undefined;
  readonly response: CompiledResponse | undefined;
  readonly closes: boolean;
  /** What the connection remembers then. */
  readonly changes: StateChanges | undefined;
}

/** Compiles a mock. */
export function compileTcp(mock: MockFields, tools: CompileTools): CompiledTcp {
  const text = compileText(mock.match ?? '', tools);
  const parts = compileJson(mock.body_json, tools);
  const tests = [compileRemembered(mock.connection_state, tools), ...parts].filter(
    (test) => test !== undefined,
  );
  // What is in the JSON has a say too, so that the bytes alone do not decide.
  const exact = parts.length === 0 ? text.exact : undefined;
  const response = compileResponse(mock, tools);
  const changes = compileChanges(mock.set_connection_state, tools);
  return new TcpMatcher(exact, text, tests, response, mock.close === true, changes);
}

/** A class, since thousands of mocks with functions of their own are thousands of places that no cache holds. */
class TcpMatcher implements CompiledTcp {
  // What every match reads comes first.
  /** Whether the bytes need no test where the index has given the mock. */
  readonly #isSure: boolean;
  /** What is asked for beside the bytes; absent when that is nothing. */
  readonly #tests: readonly Test[] | undefined;
  readonly response: CompiledResponse | undefined;
  readonly closes: boolean;
  readonly changes: StateChanges | undefined;
  readonly exact: Buffer | undefined;
  readonly #text: TextMatcher;

  constructor(
    exact: Buffer | undefined,
    text: TextMatcher,
    tests: readonly Test[],
    response: CompiledResponse | undefined,
    closes: boolean,
    changes: StateChanges | undefined,
  ) {
    this.#isSure = text.test === undefined || (exact !== undefined && text.isExact);
    this.#tests = tests.length === 0 ? undefined : tests;
    this.response = response;
    this.closes = closes;
    this.changes = changes;
    this.exact = exact;
    this.#text = text;
  }

  test(message: TcpMessage, isFound = false): TestResult {
    if (!(isFound && this.#isSure)) {
      const result = this.#text.test?.(message) ?? true;
      if (result !== true) return result;
    }
    return this.#tests === undefined ? true : testAll(this.#tests, message);
  }
}

type Test = (this: void, message: TcpMessage) => TestResult;

/** How the bytes of a message are compared. */
interface TextMatcher {
  /** Absent when any bytes match. */
  readonly test?: Test;
  /** The only bytes that match. */
  readonly exact: Buffer | undefined;
  /** Whether those always match. */
  readonly isExact: boolean;
}

function compileText(match: NonNullable<MockFields['match']>, tools: CompileTools): TextMatcher {
  if (typeof match === 'string' && isHex(match)) {
    const exact = tools.attempt('/match', Buffer.alloc(0), () => parseHex(match));
    return {
      exact,
      isExact: true,
      test: (message) => message.body.equals(exact) || (() => hexReason(message, exact)),
    };
  }
  const pattern = tools.pattern(match, '/match');
  const exact = pattern.exact === undefined ? undefined : Buffer.from(pattern.exact, 'utf8');
  if (pattern.any) return { exact, isExact: false };
  const isText = typeof match === 'string' && exact !== undefined;
  const fits = (message: TcpMessage): boolean =>
    isText ? message.body.equals(exact) : pattern.test(message.text, message);
  return {
    exact,
    isExact: isText,
    test: (message) => fits(message) || (() => pattern.reason('message', message.text, message)),
  };
}

function compileJson(source: MockFields['body_json'], tools: CompileTools): readonly Test[] {
  const conditions = tools.places(source, '/body_json', { label: 'body_json' });
  return conditions
    .filter(({ any }) => !any)
    .map((condition) => (message) => {
      const result = condition.test(message.json, message);
      return result === true || message.json !== undefined
        ? result
        : `body_json ${condition.place}: the message is not JSON`;
    });
}

function compileRemembered(source: MockFields['connection_state'], tools: CompileTools): Test | undefined {
  const conditions = tools.places(source, '/connection_state', { label: 'connection_state' });
  if (conditions.length === 0) return undefined;
  return (message) => {
    // Which bytes are a message is the same for every connection.
    if (message.isExactOnly) return true;
    for (const condition of conditions) {
      const result = condition.test(message.query ?? {}, message);
      if (result !== true) return result;
    }
    return true;
  };
}

function testAll(tests: readonly Test[], message: TcpMessage): TestResult {
  for (const test of tests) {
    const result = test(message);
    if (result !== true) return result;
  }
  return true;
}

function compileResponse(
  { response, json, response_base64: base64 }: MockFields,
  tools: CompileTools,
): CompiledResponse | undefined {
  if (response !== undefined && isHex(response) && json === undefined && base64 === undefined)
    return { bytes: tools.attempt('/response', Buffer.alloc(0), () => parseHex(response)) };
  const template = compileContent({ text: response, json, base64 }, { text: 'response' }, tools, '');
  if (template.constant && template.source === '') return undefined;
  // Sent back as they came: bytes that are no text would not survive being read as one.
  if (template.isWholeBody) return { isEcho: true };
  const bytes = constantContent(template);
  return bytes === undefined ? { template } : { bytes };
}

function hexReason(message: TcpMessage, wanted: Buffer): string {
  return `message: got hex:${show(message.body)}, want hex:${show(wanted)}`;
}

function show(bytes: Buffer): string {
  const shown = bytes.toString('hex', 0, MAX_SHOWN);
  return bytes.length > MAX_SHOWN ? `${shown}...` : shown;
}
