import type { IncomingMessage } from 'node:http';
import { BacklotError, invalid } from '@backlot/core/plugin';

const MAX_TARGET_LENGTH = 12 * 1024;

/** What a request asks for. */
export interface RequestTarget {
  /** The path as it came, for messages and logs. */
  readonly path: string;
  /** The text after `?`, still encoded; empty when there is none. */
  readonly search: string;
  /** The authority of an absolute target, such as a proxy sends it. */
  readonly authority: string | undefined;
}

/** Splits the target of a request line. */
export function parseTarget(target: string): RequestTarget {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/i.exec(target);
  const authority = absolute?.[1];
  const rest = absolute === null ? target : (absolute[2] ?? '');
  const end = rest.indexOf('#');
  const withoutFragment = end < 0 ? rest : rest.slice(0, end);
  const mark = withoutFragment.indexOf('?');
  const path = mark < 0 ? withoutFragment : withoutFragment.slice(0, mark);
  return {
    path: path === '' ? '/' : path,
    search: mark < 0 ? '' : withoutFragment.slice(mark + 1),
    authority,
  };
}

/**
 * Leaves of an absolute target the path and query in `url`, and keeps the whole in `originalUrl`, as Express keeps what
 * routers cut off. Express itself would have Node take the target apart, which fails for some authorities and warns of
 * others on the console.
 */
export function cutAuthority(request: IncomingMessage & { originalUrl?: string }): void {
  const { url = '/' } = request;
  if (url.startsWith('/')) return;
  const { path, search } = parseTarget(url);
  request.originalUrl = url;
  request.url = search === '' ? path : `${path}?${search}`;
}

/**
 * The decoded segments of a path: `/api/mocks/a%2Fb` has three.
 *
 * @throws BacklotError `invalid` for an escape that is none, invalid UTF-8 or a NUL; `uri_too_long`
 */
export function splitPath(path: string): string[] {
  if (path.length > MAX_TARGET_LENGTH) throw tooLong('path', path.length);
  const segments = path.split('/').slice(1);
  if (path.includes('%')) {
    for (const [index, segment] of segments.entries()) segments[index] = decode(segment, 'path');
  }
  if (segments.some((segment) => segment.includes('\0'))) throw invalid('the path holds a NUL character');
  return segments;
}

/**
 * The values of the query parameters by name.
 *
 * @throws BacklotError `invalid` for an escape that is none, or a name that comes twice; `uri_too_long`
 */
export function parseQuery(search: string): Map<string, string> {
  const values = new Map<string, string>();
  if (search === '') return values;
  if (search.length > MAX_TARGET_LENGTH) throw tooLong('query', search.length);
  for (const part of search.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(plusToSpace(equals < 0 ? part : part.slice(0, equals)), 'query');
    if (values.has(name))
      throw invalid(`query parameter ${JSON.stringify(name)} is given twice; give it once`);
    values.set(name, equals < 0 ? '' : decode(plusToSpace(part.slice(equals + 1)), 'query'));
  }
  return values;
}

function plusToSpace(text: string): string {
  return text.replaceAll('+', ' ');
}

function decode(text: string, where: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(
      `the ${where} holds ${JSON.stringify(text.slice(0, 100))}, which is not percent-encoded UTF-8; write a % as %25`,
    );
  }
}

function tooLong(what: string, length: number): BacklotError {
  return new BacklotError(
    'uri_too_long',
    `the ${what} has ${length} characters; at most ${MAX_TARGET_LENGTH} are taken`,
  );
}
