import { runAtOnce } from '@backlot/core/plugin';
import {
  canonicalJson,
  escapeRegex,
  exactPattern,
  jsonPattern,
  literal,
  redactHeaders,
  redactJsonSteps,
  redactPairs,
  redactPath,
  textPattern,
  volatileRule,
  type PatternNote,
} from '@backlot/kit/upstream';
import { Handshake } from '../handshake.js';

/** What a recording is for. */
export interface MessageMatch {
  readonly key: string;
  readonly name: string;
  readonly match: Readonly<Record<string, unknown>>;
  readonly patterns: readonly string[];
}

type Rule = Readonly<Record<string, unknown>>;

/** Longer messages are not compared. */
const MAX_MESSAGE = 64 * 1024;
const MAX_NOTES = 20;

/** What a recorded mock asks of a client that connects. @param namesHost - whether there are connections for other hosts */
export function greetingMatch(handshake: Handshake, namesHost: boolean): MessageMatch {
  const scope = scopeOf(handshake, namesHost);
  return {
    key: keyOf({ ...scope, on_connect: true }),
    name: `connect ${nameOf(handshake, namesHost)}`,
    match: scope,
    patterns: [],
  };
}

/** What a recorded mock asks of a message. @param namesHost - whether there are connections for other hosts */
export function messageMatch(handshake: Handshake, namesHost: boolean, body: string | Buffer): MessageMatch {
  const patterns: string[] = [];
  const note: PatternNote = (place, rule) => {
    if (patterns.length < MAX_NOTES) patterns.push(`${place}: ${rule}`);
  };
  const rule = typeof body === 'string' ? { match: bodyPattern(body, note) } : bytesRule(body, note);
  const match = { ...scopeOf(handshake, namesHost), on_message: [rule] };
  const words = typeof body === 'string' ? redactText(body.slice(0, 40)) : 'binary';
  return { key: keyOf(match), name: `${nameOf(handshake, namesHost)} ${words}`, match, patterns };
}

/** What of a mock says which messages it is for: its rules have answers as well. */
export function scopeOfMock(mock: Readonly<Record<string, unknown>>): unknown {
  const { path, host, subprotocol, on_connect: greeting, on_message: rules = [] } = mock;
  return [
    path,
    host ?? null,
    subprotocol ?? null,
    greeting !== undefined,
    (rules as readonly Rule[]).map(({ match, match_binary: bytes }) => [match ?? null, bytes ?? null]),
  ];
}

/** The handshake as the journal keeps it. */
export function handshakeWithoutSecrets(handshake: Handshake, rawHeaders: readonly string[]): Handshake {
  const [path = '', query] = handshake.target.split(/\?(.*)/s, 2);
  const kept = new Handshake({
    target: redactPath(path) + (query === undefined ? '' : `?${redactPairs(query)}`),
    rawHeaders: redactHeaders(rawHeaders),
    remote: handshake.remote,
  });
  const { subprotocol, framing, dialect } = handshake;
  return Object.assign(kept, { subprotocol, framing, dialect });
}

/** A message without its secrets. */
export function redactMessage(body: string | Buffer): string | Buffer {
  return typeof body === 'string' ? redactText(body) : body;
}

/** The messages of an answer as a list of a mock has them. */
export function listedMessages(messages: readonly (string | Buffer)[]): readonly unknown[] {
  return messages.map((message) =>
    typeof message === 'string' ? literal(redactText(message)) : { body_base64: message.toString('base64') },
  );
}

function redactText(text: string): string {
  return runAtOnce(redactJsonSteps(text));
}

function nameOf({ host, path }: Handshake, namesHost: boolean): string {
  return namesHost ? host + path : path;
}

function scopeOf(
  { host, path, subprotocol }: Handshake,
  namesHost: boolean,
): Readonly<Record<string, unknown>> {
  const shown = redactPath(path);
  const isPlain = shown === path && !/[*{}]|^re:/.test(path);
  const pattern = shown.split('REDACTED').map(escapeRegex).join('[^/]+');
  return {
    ...(namesHost ? { host: exactPattern(host) } : {}),
    path: isPlain ? path : `re:^${pattern}$`,
    ...(subprotocol === undefined || subprotocol === '' ? {} : { subprotocol }),
  };
}

function bodyPattern(body: string, note: PatternNote): unknown {
  if (body.length > MAX_MESSAGE) {
    note('message', 'it is longer than 64 KiB and not compared');
    return { present: true };
  }
  const value = jsonOf(body);
  if (value !== undefined) return jsonPattern(value, 'message', note);
  const rule = volatileRule('', body);
  if (rule === undefined) return textPattern(body, 'message', note);
  note('message', rule.rule);
  return { regex: rule.regex };
}

function bytesRule(body: Buffer, note: PatternNote): Rule {
  if (body.length <= MAX_MESSAGE && body.length > 0) return { match_binary: body.toString('base64') };
  note(
    'message',
    body.length === 0 ? 'it is empty and not compared' : 'it is longer than 64 KiB and not compared',
  );
  return {};
}

function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keyOf(match: unknown): string {
  return JSON.stringify(canonicalJson(match));
}
