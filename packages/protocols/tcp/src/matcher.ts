import {
  compileContent,
  type CompiledMock,
  type CompileTools,
  constantContent,
  type Template,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import { isHex, parseHex } from './payload.js';
import type { MockSchema } from './schemas.js';
import type { TcpMessage } from './message.js';

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
}

/** Compiles a mock. */
export function compileTcp(mock: ValueOf<typeof MockSchema>, tools: CompileTools): CompiledTcp {
  const { match = '' } = mock;
  const response = compileResponse(mock, tools);
  const closes = mock.close === true;
  if (typeof match === 'string' && isHex(match)) {
    const exact = tools.attempt('/match', Buffer.alloc(0), () => parseHex(match));
    return {
      exact,
      response,
      closes,
      test: (message) => message.body.equals(exact) || (() => hexReason(message, exact)),
    };
  }
  const pattern = tools.pattern(match, '/match');
  const exact = pattern.exact === undefined ? undefined : Buffer.from(pattern.exact, 'utf8');
  const isText = typeof match === 'string' && exact !== undefined;
  const fits = (message: TcpMessage): boolean =>
    isText ? message.body.equals(exact) : pattern.test(message.text, message);
  const test = (message: TcpMessage): TestResult =>
    fits(message) || (() => pattern.reason('message', message.text, message));
  return pattern.any ? { exact, response, closes } : { exact, response, closes, test };
}

function compileResponse(
  { response, json, response_base64: base64 }: ValueOf<typeof MockSchema>,
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
