import type { CompileTools, Pointer, Template } from '@backlot/core/plugin';
import { checkCloseCode, checkReason, NORMAL } from './wire/close-code.js';
import { BINARY, dataFrame, TEXT, textFrame } from './wire/frame.js';

/** A template that is the message and nothing else. */
const ECHO = /^\{\{\s*\.?request\.raw_body\s*\}\}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A message that is sent: always the same (as a frame, and as the journal shows it), the one received, or a template. */
type Part =
  | { readonly frame: Buffer; readonly body: string | Buffer }
  | { readonly isEcho: true }
  | { readonly template: Template };

/** What a connection or a message is answered with. */
export interface Answer {
  readonly parts: readonly Part[];
  /** Milliseconds before it is sent. */
  readonly delay: number;
  readonly close: { readonly code: number; readonly reason: Template | undefined } | undefined;
}

/** The fields of `on_connect` or of a rule that say what is sent. */
interface AnswerFields {
  /** Whether there is a message that can be sent back. */
  readonly canEcho?: boolean;
  readonly text: string | undefined;
  readonly binary: string | undefined;
  readonly delay: string | undefined;
  readonly close?: boolean | { readonly code?: number; readonly reason?: string } | undefined;
}

/** Compiles what is sent. `at` is where the fields stand, `names` what `text` and `binary` are called there. */
export function compileAnswer(
  fields: AnswerFields,
  tools: CompileTools,
  at: Pointer,
  names: { readonly text: string; readonly binary: string },
): Answer {
  const { text = '', binary = '', delay, close } = fields;
  const parts: Part[] = [];
  // Sent back as it came: a binary message stays one.
  if (fields.canEcho === true && ECHO.test(text)) parts.push({ isEcho: true });
  else if (text !== '') parts.push(compileText(text, tools, `${at}/${names.text}`));
  if (binary !== '') {
    const bytes = tools.attempt(`${at}/${names.binary}`, Buffer.alloc(0), () => parseBase64(binary));
    parts.push({ frame: dataFrame(BINARY, bytes), body: bytes });
  }
  return {
    parts,
    delay: tools.duration(delay, `${at}/delay`),
    close: compileClose(close, tools, `${at}/close`),
  };
}

/** Makes a message that is sent, with what the journal shows of it. `data` is the message received. */
export function makePart(
  part: Part,
  match: { render(template: Template): string },
  { body = '' }: { readonly body?: string | Buffer },
  data: Buffer | undefined,
): { readonly frame: Buffer; readonly body: string | Buffer } {
  if ('frame' in part) return part;
  if ('isEcho' in part) {
    return { frame: dataFrame(typeof body === 'string' ? TEXT : BINARY, data ?? Buffer.from(body)), body };
  }
  const text = match.render(part.template);
  return { frame: textFrame(text), body: text };
}

/**
 * Reads base64 as RFC 4648, section 4, has it.
 *
 * @throws Error when it is none
 */
export function parseBase64(text: string): Buffer {
  if (!BASE64.test(text)) throw new Error(`${JSON.stringify(text)} is not base64; bytes 0 to 2 are "AAEC"`);
  return Buffer.from(text, 'base64');
}

function compileText(text: string, tools: CompileTools, at: Pointer): Part {
  const template = tools.template(text, at);
  if (!template.constant) return { template };
  return { frame: textFrame(template.source), body: template.source };
}

function compileClose(close: AnswerFields['close'], tools: CompileTools, at: Pointer): Answer['close'] {
  if (close === undefined || close === false) return undefined;
  const { code = NORMAL, reason = '' } = close === true ? {} : close;
  tools.attempt(`${at}/code`, undefined, () => checkCloseCode(code));
  if (reason === '') return { code, reason: undefined };
  const template = tools.template(reason, `${at}/reason`, { target: 'text' });
  if (template.constant) tools.attempt(`${at}/reason`, undefined, () => checkReason(template.source));
  return { code, reason: template };
}
