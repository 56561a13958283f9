import type { CompiledMock, CompileTools, Template, TestResult, ValueOf } from '@backlot/core/plugin';
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
  const response = compileResponse(mock.response ?? '', tools);
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
    isText ? message.body.equals(exact) : pattern.test(message.text);
  const test = (message: TcpMessage): TestResult =>
    fits(message) || (() => pattern.reason('message', message.text));
  return pattern.any ? { exact, response, closes } : { exact, response, closes, test };
}

function compileResponse(response: string, tools: CompileTools): CompiledResponse | undefined {
  if (response === '') return undefined;
  if (isHex(response))
    return { bytes: tools.attempt('/response', Buffer.alloc(0), () => parseHex(response)) };
  const template = tools.template(response, '/response');
  // Sent back as they came: bytes that are no text would not survive being read as one.
  if (template.isWholeBody) return { isEcho: true };
  return template.constant ? { bytes: Buffer.from(template.source, 'utf8') } : { template };
}

function hexReason(message: TcpMessage, wanted: Buffer): string {
  return `message: got hex:${show(message.body)}, want hex:${show(wanted)}`;
}

function show(bytes: Buffer): string {
  const shown = bytes.toString('hex', 0, MAX_SHOWN);
  return bytes.length > MAX_SHOWN ? `${shown}...` : shown;
}
