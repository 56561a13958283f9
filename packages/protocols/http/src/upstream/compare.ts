import { runAtOnce } from '@backlot/core/plugin';
import { bytesOf, hasNoContent, type HttpAnswer } from '@backlot/kit/http';
import { isSecretName, REDACTED, volatileRule } from '@backlot/kit/upstream';
import type { AnswerCopy } from './answer-copy.js';
import { redactBodySteps } from './redact-message.js';

const MAX_DIFFERENCES = 20;
const MAX_SHOWN = 80;
const DEEPEST = 100;
/** Longer bodies are compared byte by byte, and not read: others wait meanwhile. */
const MAX_READ = 256 * 1024;

/** Headers that say when and by which machine an answer was made, or how it comes. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set([
  'age',
  'connection',
  'content-length',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'server',
  'set-cookie',
  'transfer-encoding',
  'vary',
  'via',
]);

/**
 * Where the upstream answers otherwise than a mock. What is redacted in the mock is not compared, nor are two values that the
 * same rule calls volatile. Where an answer has no content, bodies are not compared.
 */
export function differencesOf(
  mock: HttpAnswer,
  real: AnswerCopy,
  method: string | undefined,
): readonly string[] {
  const found: string[] = [];
  const add = (place: string, mocked: unknown, actual: unknown): void => {
    if (found.length < MAX_DIFFERENCES)
      found.push(`${place}: the mock has ${show(mocked)}, the upstream ${show(actual)}`);
  };
  if (mock.status !== real.status) add('status', mock.status, real.status);
  const ours = lowerCase(mock.headers);
  const theirs = lowerCase(real.headers);
  const ourType = ours.get('content-type');
  const theirType = theirs.get('content-type');
  if (mediaType(ourType) !== mediaType(theirType)) add('header content-type', ourType, theirType);
  for (const [name, value] of ours) {
    if (IGNORED_HEADERS.has(name) || isSecretName(name)) continue;
    const actual = theirs.get(name);
    if (value !== actual && !isSameKind(name, value, actual)) add(`header ${name}`, value, actual);
  }
  if (method !== 'HEAD' && !hasNoContent(mock.status) && !hasNoContent(real.status))
    compareBodies(bytesOf(mock), real, ourType, add);
  return found;
}

type Add = (place: string, mocked: unknown, actual: unknown) => void;

function compareBodies(given: Buffer, { body, plain }: AnswerCopy, type: string | undefined, add: Add): void {
  if (given.equals(body) || given.equals(plain)) return;
  if (Math.max(given.length, body.length) > MAX_READ) {
    const at = given.findIndex((byte, index) => byte !== body[index]);
    const start = at < 0 ? given.length : at;
    add(`body from byte ${start}`, part(given, start), part(body, start));
    return;
  }
  const mocked = runAtOnce(redactBodySteps(given, type));
  if (mocked.equals(body)) return;
  const ours = parse(mocked);
  const theirs = parse(body);
  if (ours === undefined || theirs === undefined) {
    if (!isSameKind('body', String(mocked), String(body))) add('body', String(mocked), String(body));
    return;
  }
  compareValues(ours.value, theirs.value, '', '', 0, add);
}

function part(body: Buffer, start: number): string | undefined {
  return start < body.length ? String(body.subarray(start, start + MAX_SHOWN)) : undefined;
}

function compareValues(
  mocked: unknown,
  actual: unknown,
  place: string,
  name: string,
  depth: number,
  add: Add,
): void {
  if (mocked === REDACTED || depth > DEEPEST) return;
  if (isObject(mocked) && isObject(actual) && Array.isArray(mocked) === Array.isArray(actual)) {
    const names = new Set([...Object.keys(mocked), ...Object.keys(actual)]);
    for (const step of names)
      compareValues(member(mocked, step), member(actual, step), `${place}/${step}`, step, depth + 1, add);
    return;
  }
  if (mocked === actual || isSameKind(name, mocked, actual)) return;
  add(`body ${place === '' ? '/' : place}`, mocked, actual);
}

/** Whether two values are both what the same rule calls another one each time. */
function isSameKind(name: string, mocked: unknown, actual: unknown): boolean {
  if (mocked === REDACTED) return true;
  if (typeof mocked === 'number' && typeof actual === 'number')
    return isSameKind(name, String(mocked), String(actual));
  if (typeof mocked !== 'string' || typeof actual !== 'string') return false;
  const rule = volatileRule(name, mocked);
  return rule !== undefined && rule === volatileRule(name, actual);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function member(value: Readonly<Record<string, unknown>>, step: string): unknown {
  return Object.hasOwn(value, step) ? value[step] : undefined;
}

function parse(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(String(body)) };
  } catch {
    return undefined;
  }
}

function lowerCase(headers: HttpAnswer['headers'] | AnswerCopy['headers']): Map<string, string> {
  return new Map(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'object' ? value.join(', ') : String(value),
    ]),
  );
}

function mediaType(value: string | undefined): string {
  return (value ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
