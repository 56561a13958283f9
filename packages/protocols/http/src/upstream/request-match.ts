import {
  canonicalJson,
  decodePart,
  decodePath,
  escapeRegex,
  exactPattern,
  holdsSecret,
  isSecretName,
  jsonPattern,
  patternOf,
  REDACTED,
  redactHeaders,
  redactPairs,
  redactPath,
  redactText,
  textPattern,
  volatileRule,
  type PatternNote,
} from '@backlot/kit/upstream';
import { HttpMessage } from '../message.js';
import { shownBody } from './redact-message.js';

/** Which requests a recording is for. */
export interface RequestMatch {
  readonly key: string;
  readonly name: string;
  /** The field `request` of the mock. */
  readonly request: Readonly<Record<string, unknown>>;
  /** What became a pattern, and by which rule. */
  readonly patterns: readonly string[];
}

/** A longer body is not compared. */
const MAX_BODY = 64 * 1024;
const MAX_NOTES = 20;

/** Makes what a recorded mock asks of a request: the same request again, but for what is another each time, and secrets. */
export function matchOf(message: HttpMessage): RequestMatch {
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => {
    if (patterns.length < MAX_NOTES) patterns.push(`${place}: ${rule}`);
  };
  const query = Object.entries(message.query).map(([name, value]) => {
    const first = typeof value === 'string' ? value : (value[0] ?? '');
    if (typeof value !== 'string') note(`query ${name}`, 'only the first of several values is compared');
    return [name, patternOf(`query ${name}`, name, first, note)] as const;
  });
  const request = {
    // What has come to a proxy is for one server of many.
    ...(message.origin === undefined ? {} : { host: exactPattern(message.host) }),
    method: message.method,
    ...pathPattern(message.path, note),
    ...(query.length === 0 ? {} : { query: Object.fromEntries(query) }),
    no_other_query: true,
    body: bodyPattern(message, note),
  };
  const key = JSON.stringify(canonicalJson(request));
  const host = message.origin === undefined ? '' : message.host;
  return { key, name: `${message.method} ${host}${redactPath(message.path)}`, request, patterns };
}

/** The message as it is kept: without secrets. */
export function withoutSecrets(message: HttpMessage, rawHeaders: readonly string[]): HttpMessage {
  const { target, body } = message;
  const mark = target.indexOf('?');
  return new HttpMessage({
    method: message.method,
    target:
      mark < 0
        ? redactPath(target)
        : `${redactPath(target.slice(0, mark))}?` + redactPairs(target.slice(mark + 1)),
    rawHeaders: redactHeaders(rawHeaders),
    remote: message.remote,
    body: body && shownBody(body, message.contentType),
    auth: undefined,
    isSecure: message.isSecure,
    preflight: message.preflight,
  });
}

function bodyPattern(message: HttpMessage, note: PatternNote): unknown {
  const { body, contentType = '' } = message;
  if (body === undefined) return { absent: true };
  const present = (rule: string): unknown => {
    note('body', rule);
    return { present: true };
  };
  if (body.length > MAX_BODY) return present('it is longer than 64 KiB and not compared');
  if (/^multipart\//i.test(contentType))
    return present('parts are not compared, their boundary is another each time');
  const text = message.text ?? '';
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return formPattern(text, note);
  if (message.isJson && typeof message.json === 'object' && message.json !== null) {
    return jsonPattern(message.json, 'body', note);
  }
  return textPattern(text, 'body', note);
}

function formPattern(text: string, note: PatternNote): unknown {
  let isExact = true;
  const pieces = text.split('&').map((pair) => {
    const [name = '', ...rest] = pair.split('=');
    const plain = decodePart(name);
    const value = decodePart(rest.join('='));
    const rule = isSecretName(plain) || holdsSecret(value) ? 'secret' : volatileRule(plain, value)?.rule;
    if (rule === undefined) return escapeRegex(pair);
    isExact = false;
    note(`body ${plain}`, rule);
    return `${escapeRegex(name)}=[^&]*`;
  });
  return isExact ? { equals: text } : { regex: `^${pieces.join('&')}$` };
}

/** A path as a pattern that matches just this path, but for the secrets in it. */
function pathPattern(path: string, note: PatternNote): Readonly<Record<string, string>> {
  const decoded = decodePath(path);
  const redacted = redactText(decoded);
  if (redacted !== decoded) {
    note('path', 'secret');
    const pattern = (gap: string): string => `^${redacted.split(REDACTED).map(escapeRegex).join(gap)}$`;
    return { path_regex: new RegExp(pattern('[^/]+')).test(decoded) ? pattern('[^/]+') : pattern('.+') };
  }
  if (!/[*{}]|^re:/.test(decoded)) return { path: decoded };
  return { path_regex: `^${escapeRegex(decoded)}$` };
}
