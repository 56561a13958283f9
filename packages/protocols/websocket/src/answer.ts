import {
  compileContent,
  parseBase64,
  pointTo,
  type CompileTools,
  type Delay,
  type DelaySource,
  type Pointer,
  type Template,
} from '@backlot/core/plugin';
import type { Saying } from './dialects/saying.js';
import { checkCloseCode, checkReason, NORMAL } from './wire/close-code.js';
import { BINARY, dataFrame, TEXT, textFrame } from './wire/frame.js';

/** A message that is sent: always the same (as a frame, and as the journal shows it), the one received, or a template. */
type PlainPart =
  | { readonly frame: Buffer; readonly body: string | Buffer }
  | { readonly isEcho: true }
  | { readonly template: Template };

/** A message that is sent as it is, or what a dialect makes a message of. */
export type Part = PlainPart | Saying;

/** Messages that are sent together. */
export interface Step {
  readonly parts: readonly Part[];
  /** What is waited for before they are sent. */
  readonly delay: Delay;
}

/** What a connection or a message is answered with. */
export interface Answer {
  /** One after the other; there is at least one. */
  readonly steps: readonly Step[];
  /** Whether nothing is sent. */
  readonly isEmpty: boolean;
  readonly close: { readonly code: number; readonly reason: Template | undefined } | undefined;
}

/** One message of a list, without a dialect. */
type ListedMessage =
  | string
  | {
      readonly body?: string;
      readonly json?: unknown;
      readonly body_base64?: string;
      readonly delay?: DelaySource;
    };

/** The fields of `on_connect` or of a rule that say what is sent. */
interface AnswerFields {
  /** Whether there is a message that can be sent back. */
  readonly canEcho?: boolean;
  readonly text: string | readonly ListedMessage[] | undefined;
  readonly json?: unknown;
  readonly binary: string | undefined;
  readonly delay: DelaySource | undefined;
  readonly close?: boolean | { readonly code?: number; readonly reason?: string } | undefined;
}

/** Compiles what is sent. `at` is where the fields stand, `names` what `text` and `binary` are called there. */
export function compileAnswer(
  fields: AnswerFields,
  tools: CompileTools,
  at: Pointer,
  names: { readonly text: string; readonly binary: string },
): Answer {
  const { text, json, binary = '', delay, close, canEcho = false } = fields;
  const parts: Part[] = [];
  const listed = typeof text === 'object' ? compileList(text, canEcho, tools, `${at}/${names.text}`) : [];
  if (typeof text !== 'object') {
    if (json !== undefined) parts.push(partOf(compileContent({ text, json }, names, tools, at), canEcho));
    else if (text !== undefined && text !== '')
      parts.push(partOf(tools.template(text, `${at}/${names.text}`), canEcho));
  } else if (json !== undefined) {
    tools.problem(
      `${at}/json`,
      `json cannot stand beside a list; write it as {json: ...} into ${names.text}, where it is to be sent`,
    );
  }
  if (binary !== '') {
    const bytes = tools.attempt(`${at}/${names.binary}`, Buffer.alloc(0), () => parseBase64(binary));
    if (listed.length === 0) parts.push(bytesPart(bytes));
    else listed.push({ parts: [bytesPart(bytes)], delay: 0 });
  }
  const steps = withoutPause({ parts, delay: tools.delay(delay, `${at}/delay`) }, listed);
  return {
    steps,
    isEmpty: steps.every((step) => step.parts.length === 0),
    close: compileClose(close, tools, `${at}/close`),
  };
}

/** The steps of an answer; the first one only where it sends or waits, or there is no other. */
export function withoutPause(first: Step, further: readonly Step[]): readonly Step[] {
  const isPause = first.parts.length === 0 && first.delay === 0 && further.length > 0;
  return isPause ? further : [first, ...further];
}

/** Makes a message that is sent, with what the journal shows of it. `data` is the message received. */
export function makePart(
  part: Part,
  match: { render(template: Template): string },
  { body = '' }: { readonly body?: string | Buffer },
  data: Buffer | undefined,
): { readonly frame: Buffer; readonly body: string | Buffer } {
  if ('say' in part) throw new TypeError('a connection without a dialect cannot say what is in its terms');
  if ('frame' in part) return part;
  if ('isEcho' in part) {
    return { frame: dataFrame(typeof body === 'string' ? TEXT : BINARY, data ?? Buffer.from(body)), body };
  }
  const text = match.render(part.template);
  return { frame: textFrame(text), body: text };
}

function compileList(
  list: readonly ListedMessage[],
  canEcho: boolean,
  tools: CompileTools,
  at: Pointer,
): Step[] {
  return list.map((item, index) => {
    const place = pointTo(at, index);
    if (typeof item === 'string') return { parts: [partOf(tools.template(item, place), canEcho)], delay: 0 };
    const { body, json, body_base64: base64, delay } = item;
    if (body === undefined && json === undefined && base64 === undefined)
      tools.problem(place, 'must have the message as body, json or body_base64');
    const content = compileContent({ text: body, json, base64 }, { text: 'body' }, tools, place);
    const part = content.bytes === undefined ? partOf(content, canEcho) : bytesPart(content.bytes);
    return { parts: [part], delay: tools.delay(delay, `${place}/delay`) };
  });
}

/** A template that is the message received and nothing else sends it back as it came: a binary message stays one. */
function partOf(template: Template, canEcho: boolean): Part {
  if (canEcho && template.isWholeBody) return { isEcho: true };
  if (!template.constant) return { template };
  return { frame: textFrame(template.source), body: template.source };
}

function bytesPart(bytes: Buffer): Part {
  return { frame: dataFrame(BINARY, bytes), body: bytes };
}

/** Compiles `close`. */
export function compileClose(
  close: AnswerFields['close'],
  tools: CompileTools,
  at: Pointer,
): Answer['close'] {
  if (close === undefined || close === false) return undefined;
  const { code = NORMAL, reason = '' } = close === true ? {} : close;
  tools.attempt(`${at}/code`, undefined, () => checkCloseCode(code));
  if (reason === '') return { code, reason: undefined };
  const template = tools.template(reason, `${at}/reason`, { target: 'text' });
  if (template.constant) tools.attempt(`${at}/reason`, undefined, () => checkReason(template.source));
  return { code, reason: template };
}
