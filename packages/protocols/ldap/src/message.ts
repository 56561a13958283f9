import { invalid, messageOf, type Message } from '@backlot/core/plugin';
import { KeptBytes } from '@backlot/kit';
import { copyDn, foldDn, parseDn, ROOT, type Dn } from './data/dn.js';
import type { Filter } from './data/filter.js';
import { filterKey, formatFilter, parseFilter } from './data/filter-text.js';
import { SCOPES, type Scope } from './scopes.js';
import type { SearchRequest } from './wire/request.js';

/** The journal keeps messages for long. */
const kept = new KeptBytes();

/** What the journal calls an operation. */
export type Operation =
  | 'BIND'
  | 'UNBIND'
  | 'SEARCH'
  | 'ADD'
  | 'MODIFY'
  | 'DELETE'
  | 'MODIFYDN'
  | 'COMPARE'
  | 'ABANDON'
  | 'EXTENDED';

type Query = Readonly<Record<string, string | readonly string[]>>;

/** What only a search has. */
export interface SearchPart {
  readonly base: Dn;
  readonly scope: Scope;
  readonly filter: Filter;
  readonly attributes: readonly string[];
}

/** One operation of a client, for matchers, templates and the journal. */
export class LdapMessage implements Message {
  readonly method: Operation;
  readonly path: string;
  readonly remote: string;
  readonly search: SearchPart | undefined;
  readonly #identity: string;
  readonly #query: Query | undefined;
  #body: string | undefined;
  #filterKey: string | undefined;
  #nameKey: string | undefined;

  constructor(
    method: Operation,
    path: string,
    remote: string,
    identity: string,
    more: { readonly body?: string; readonly search?: SearchPart; readonly query?: Query } = {},
  ) {
    this.method = method;
    this.path = path;
    this.remote = remote;
    this.search = more.search;
    this.#identity = identity;
    this.#body = more.body;
    this.#query = more.query;
  }

  /** The message of a search. */
  static ofSearch(request: SearchRequest, base: Dn, remote: string, identity: string): LdapMessage {
    const { scope, filter, attributes } = request;
    return new LdapMessage('SEARCH', request.base, remote, identity, {
      search: { base: copyDn(base, kept), scope, filter, attributes },
    });
  }

  /** The filter of a search; what an add, a modify, a modifyDN or a compare holds, as LDIF. */
  get body(): string {
    return (this.#body ??= this.search === undefined ? '' : formatFilter(this.search.filter));
  }

  /** The name that the operation is for, as the same text for equal names; what is no name stays as it is. */
  get nameKey(): string {
    return (this.#nameKey ??= this.search?.base.key ?? foldDn(this.path) ?? this.path);
  }

  /** Who has bound, without the letters by which whoami tells DNs from plain names; empty for nobody in particular. */
  get boundAs(): string {
    return this.#identity.replace(/^(?:u|dn):/i, '');
  }

  /** What the journal has beside name and body, by which `explain` makes the message anew. */
  get query(): Query {
    if (this.#query !== undefined) return this.#query;
    const { search, boundAs } = this;
    return {
      ...(search && {
        scope: search.scope,
        ...(search.attributes.length > 0 && { requested: search.attributes }),
      }),
      ...(boundAs !== '' && { bind_dn: boundAs }),
    };
  }

  /** The same text for equal filters. */
  get filterKey(): string {
    return (this.#filterKey ??= this.search === undefined ? '' : filterKey(this.search.filter));
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    const common = { operation: this.method, dn: this.path, bind_dn: this.boundAs };
    if (this.search === undefined) return common;
    const { scope, attributes, filter } = this.search;
    return {
      ...common,
      base: this.path,
      scope,
      attributes,
      filter: this.body,
      assertions: assertionsOf(filter),
    };
  }
}

/** The values that a filter asks attributes to equal, by their names in lower case: `ada` of `(&(objectClass=*)(uid=ada))`. */
function assertionsOf(filter: Filter): Readonly<Record<string, string>> {
  const found = Object.create(null) as Record<string, string>;
  const visit = (one: Filter): void => {
    if (one.kind === 'and' || one.kind === 'or') one.filters.forEach(visit);
    else if (one.kind === 'equal') found[one.name.toLowerCase()] ??= one.value.toString('utf8');
  };
  visit(filter);
  return found;
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{method, path, body, query}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): LdapMessage {
  const read = (name: string): string => textOf(entry[name]);
  const query = (entry['query'] ?? {}) as Readonly<Record<string, unknown>>;
  const method = read('method').toUpperCase();
  const path = read('path');
  const identity = textOf(query['bind_dn']);
  if (method !== '' && method !== 'SEARCH')
    return new LdapMessage(method as Operation, path, read('remote'), identity, { body: read('body') });
  try {
    const base = path === '' ? ROOT : parseDn(path);
    const body = read('body');
    const filter = parseFilter(body === '' ? '(objectClass=*)' : body);
    const scope = SCOPES.find((each) => each === query['scope']) ?? 'sub';
    const requested = query['requested'] ?? [];
    const attributes = (Array.isArray(requested) ? requested : [requested]).map(textOf);
    return new LdapMessage('SEARCH', path, read('remote'), identity, {
      search: { base, scope, filter, attributes },
    });
  } catch (thrown) {
    throw invalid(messageOf(thrown));
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
