import { splitPath } from '@backlot/core/plugin';
import { formatFor } from './matcher.js';
import type { CoapMessage } from './message.js';
import type { LiveCoapMock } from './shape.js';
import { CODE } from './wire/codes.js';

/** Where clients ask what there is (RFC 6690 section 4). */
export const DISCOVERY_PATH = '/.well-known/core';

interface Link {
  readonly href: string;
  readonly title: string;
  readonly formats: Set<number>;
  isObservable: boolean;
}

/** What an attribute of a link must be. */
export interface Filter {
  readonly name: string;
  readonly value: string;
}

/**
 * The mocks as links (RFC 6690 section 2), one for each path that is written out: a pattern is no path that a client
 * could ask for. Yields after each: there may be many thousands.
 */
export function* listLinks(
  mocks: readonly LiveCoapMock[],
  filters: readonly Filter[],
): Generator<undefined, string> {
  const links = new Map<string, Link>();
  for (const { id, compiled } of mocks) {
    yield;
    const { path, alsoPath, method, response } = compiled;
    if (path.exact === undefined || alsoPath?.test(splitPath(path.exact)) === false) continue;
    const href = hrefOf(path.exact);
    let link = links.get(href);
    if (link === undefined) {
      links.set(href, (link = { href, title: id, formats: new Set(), isObservable: false }));
    }
    const format =
      response.payload.source === '' ? undefined : formatFor(response, response.code ?? CODE.CONTENT);
    if (format !== undefined) link.formats.add(format);
    if (method === undefined || method === 'GET' || method === 'FETCH') link.isObservable = true;
  }
  const found: string[] = [];
  for (const link of links.values()) {
    yield;
    if (filters.every(({ name, value }) => hasAttribute(link, name, value))) found.push(formatLink(link));
  }
  return found.join(',');
}

/** What the query of a request asks of links. */
export function filtersIn({ query }: CoapMessage): readonly Filter[] {
  return Object.entries(query).flatMap(([name, values]) =>
    (typeof values === 'string' ? [values] : values).map((value) => ({ name, value })),
  );
}

function hrefOf(exact: string): string {
  const segments = splitPath(exact).segments;
  return `/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`;
}

/** RFC 6690 section 4.1: a value fits whole, one of several words fits, or its start when a star follows. */
function hasAttribute(link: Link, name: string, wanted: string): boolean {
  return valuesOf(link, name).some((value) =>
    wanted.endsWith('*') ? value.startsWith(wanted.slice(0, -1)) : value === wanted,
  );
}

function valuesOf(link: Link, name: string): readonly string[] {
  switch (name) {
    case 'href':
      return [link.href];
    case 'title':
      return [link.title];
    case 'ct':
      return [...link.formats].map(String);
    case 'obs':
      return link.isObservable ? [''] : [];
    default:
      return [];
  }
}

function formatLink({ href, title, formats, isObservable }: Link): string {
  const attributes = [`title="${title.replaceAll(/["\\]/g, '\\$&')}"`];
  if (formats.size === 1) attributes.push(`ct=${[...formats].join('')}`);
  if (formats.size > 1) attributes.push(`ct="${[...formats].join(' ')}"`);
  if (isObservable) attributes.push('obs');
  return `<${href}>;${attributes.join(';')}`;
}
