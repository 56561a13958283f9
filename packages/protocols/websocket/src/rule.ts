import { parseBase64, type CompileTools, type Pattern, type TestResult } from '@backlot/core/plugin';
import { compileAnswer, type Answer } from './answer.js';
import type { WebsocketMessage } from './message.js';
import type { RuleFields } from './schemas.js';

const MAX_SHOWN = 60;

/** One rule of `on_message`. */
export interface Rule {
  readonly answer: Answer;
  /** What the only messages that match are called, or are; absent when there may be others. */
  readonly exact: { readonly texts: readonly string[]; readonly bytes: readonly Buffer[] } | undefined;
  test(message: WebsocketMessage): TestResult;
  /** What it wants, for a reason that names several rules. */
  describe(): string;
}

/** Compiles a rule without a dialect. */
export function compileRule(rule: RuleFields, tools: CompileTools, at: string): Rule {
  const { match = '', match_binary: matchBinary = '' } = rule;
  const { respond, json, respond_binary: respondBinary, delay, close } = rule;
  const pattern = match === '' ? undefined : tools.pattern(match, `${at}/match`);
  const bytes =
    matchBinary === ''
      ? undefined
      : tools.attempt(`${at}/match_binary`, Buffer.alloc(0), () => parseBase64(matchBinary));
  const describe = (): string => describeWanted(pattern, bytes);
  const names = { text: 'respond', binary: 'respond_binary' };
  const fields = { text: respond, json, binary: respondBinary, delay, close, canEcho: true };
  return {
    answer: compileAnswer(fields, tools, at, names),
    exact: exactOf(pattern, bytes),
    test(message) {
      const { body = '' } = message;
      if (pattern === undefined && bytes === undefined) return true;
      if (typeof body !== 'string') return bytes?.equals(body) === true || (() => missed(body, describe()));
      if (pattern?.test(body, message) === true) return true;
      if (pattern === undefined || bytes !== undefined) return () => missed(body, describe());
      return () => pattern.reason('message', body, message);
    },
    describe,
  };
}

/** Why a message matches none of several rules. */
export function missed(body: string | Buffer, wanted: string): string {
  const got =
    typeof body === 'string'
      ? JSON.stringify(clip(body))
      : `base64 "${clip(body.toString('base64', 0, MAX_SHOWN))}"`;
  return `message: got ${got}, want ${wanted}`;
}

function exactOf(pattern: Pattern | undefined, bytes: Buffer | undefined): Rule['exact'] {
  if (pattern === undefined ? bytes === undefined : pattern.exact === undefined) return undefined;
  return {
    texts: pattern?.exact === undefined ? [] : [pattern.exact],
    bytes: bytes === undefined ? [] : [bytes],
  };
}

function describeWanted(pattern: Pattern | undefined, bytes: Buffer | undefined): string {
  const wanted = [
    ...(pattern === undefined ? [] : [pattern.describe()]),
    ...(bytes === undefined ? [] : [`base64 "${clip(bytes.toString('base64', 0, MAX_SHOWN))}"`]),
  ];
  return wanted.join(' or ');
}

function clip(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
