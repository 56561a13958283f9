import { literal } from '../shared/literal.js';
import { targetOf } from '../shared/target.js';
import { listOf, memberOf, textOf, treeOf, treesOf } from '@backlot/contracts';
import { parameterName } from '../openapi/paths.js';
import type { Variables } from './variables.js';

/** What a request of a collection asks for. */
export interface RequestPath {
  /** The path as a pattern of a mock. */
  readonly pattern: string;
  /** How many segments are fixed. */
  readonly fixed: number;
  /** Parameters of the query; without a value, any will do. */
  readonly query: readonly (readonly [name: string, value: string | undefined])[];
}

/**
 * The path of a url of a collection. `:name` and `{{name}}` are parameters; where an example has their values in the
 * path, the url of its request tells the names.
 */
export function requestPath(url: unknown, named: unknown, variables: Variables): RequestPath | undefined {
  const written = segmentsOf(url, variables);
  if (written === undefined) return undefined;
  const patterns = segmentsOf(named ?? url, variables);
  const seen = new Set<string>();
  let fixed = 0;
  const parts = written.map((segment, index) => {
    const pattern = patterns?.length === written.length ? (patterns[index] ?? segment) : segment;
    // A saved value stands for itself; only a segment that is still a name is one.
    const name = isName(segment) ? segment : undefined;
    if (name !== undefined) return parameter(name, index, seen);
    if (isName(pattern) && segment === '') return parameter(pattern, index, seen);
    fixed += 1;
    return plain(segment);
  });
  if (parts.some((part) => part === undefined)) return undefined;
  return { pattern: `/${parts.join('/')}`, fixed, query: queryOf(url, variables) };
}

function segmentsOf(url: unknown, variables: Variables): readonly string[] | undefined {
  const text = variables.resolve(textOf(url) ?? textOf(memberOf(url, 'raw')) ?? '');
  const path = memberOf(url, 'path');
  if (Array.isArray(path) && path.length > 0) {
    const host = variables.resolve(
      listOf(memberOf(url, 'host'))
        .map((part) => textOf(part) ?? '')
        .join('.'),
    );
    // {{baseUrl}} may be https://host/v1.
    const base =
      targetOf(host.includes('//') ? host : `//${host}`)
        ?.path.replace(/\/+$/, '')
        .slice(1) ?? '';
    return [
      ...(base === '' ? [] : base.split('/')),
      ...listOf(path).map((part) => variables.resolve(textOf(part) ?? textOf(memberOf(part, 'value')) ?? '')),
    ].slice(0, 200);
  }
  // A variable in front is the host, such as {{baseUrl}}.
  const withoutHost = text.replace(/^\{\{[^{}]*\}\}/, 'http://host');
  if (withoutHost === '') return undefined;
  const full =
    /^[a-z]+:\/\//i.test(withoutHost) || withoutHost.startsWith('/') ? withoutHost : `http://${withoutHost}`;
  return targetOf(full)?.path.slice(1).split('/');
}

function queryOf(url: unknown, variables: Variables): RequestPath['query'] {
  const listed = treesOf(memberOf(url, 'query')).filter((one) => one['disabled'] !== true);
  const pairs =
    listed.length > 0 || memberOf(url, 'path') !== undefined
      ? listed.map((one) => [textOf(one['key']) ?? '', textOf(one['value']) ?? ''] as const)
      : (targetOf(textOf(url) ?? textOf(treeOf(url)['raw']) ?? '')?.query ?? []);
  return pairs
    .filter(([name]) => name !== '')
    .slice(0, 100)
    .map(([name, value]) => {
      const resolved = variables.resolve(value);
      // A value that describes itself, or is left to be filled in, is none.
      return [name, resolved === '' || /^<.*>$|\{\{/.test(resolved) ? undefined : resolved];
    });
}

function isName(segment: string): boolean {
  return /^:[A-Za-z_]/.test(segment) || /^\{\{[^{}]+\}\}$/.test(segment) || /^\{[^{}]+\}$/.test(segment);
}

function parameter(segment: string, index: number, seen: Set<string>): string {
  const name = parameterName(segment.replaceAll(/[:{}]/g, '')) || `part${index + 1}`;
  const own = seen.has(name) ? `${name}${index + 1}` : name;
  seen.add(own);
  return `{${own}}`;
}

function plain(segment: string): string | undefined {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // It stays as it is written.
  }
  return /[*{}/\s]/.test(text) || literal(text) !== text ? undefined : text;
}
