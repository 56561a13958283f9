import { runAtOnce } from '@backlot/core/plugin';
import { bytesOf, hasNoContent, type HttpAnswer } from '@backlot/kit/http';
import { Differences, isSameKind, isSecretName } from '@backlot/kit/upstream';
import type { AnswerCopy } from './answer-copy.js';
import { redactBodySteps } from './redact-message.js';

/** The bytes that are shown of a long body, from where it differs. */
const MAX_SHOWN = 80;
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
  const differences = new Differences();
  if (mock.status !== real.status) differences.add('status', mock.status, real.status);
  const ours = lowerCase(mock.headers);
  const theirs = lowerCase(real.headers);
  const ourType = ours.get('content-type');
  const theirType = theirs.get('content-type');
  if (mediaType(ourType) !== mediaType(theirType)) differences.add('header content-type', ourType, theirType);
  for (const [name, value] of ours) {
    if (IGNORED_HEADERS.has(name) || isSecretName(name)) continue;
    const actual = theirs.get(name);
    if (value !== actual && !isSameKind(name, value, actual))
      differences.add(`header ${name}`, value, actual);
  }
  if (method !== 'HEAD' && !hasNoContent(mock.status) && !hasNoContent(real.status))
    compareBodies(bytesOf(mock), real, ourType, differences);
  return differences.found;
}

function compareBodies(
  given: Buffer,
  { body, plain }: AnswerCopy,
  type: string | undefined,
  differences: Differences,
): void {
  if (given.equals(body) || given.equals(plain)) return;
  if (Math.max(given.length, body.length) > MAX_READ) {
    const at = given.findIndex((byte, index) => byte !== body[index]);
    const start = at < 0 ? given.length : at;
    differences.add(`body from byte ${start}`, part(given, start), part(body, start));
    return;
  }
  const mocked = runAtOnce(redactBodySteps(given, type));
  if (mocked.equals(body)) return;
  const ours = parse(mocked);
  const theirs = parse(body);
  if (ours === undefined || theirs === undefined) {
    if (!isSameKind('body', String(mocked), String(body)))
      differences.add('body', String(mocked), String(body));
    return;
  }
  differences.compare('body', ours.value, theirs.value);
}

function part(body: Buffer, start: number): string | undefined {
  return start < body.length ? String(body.subarray(start, start + MAX_SHOWN)) : undefined;
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
