import type { Imported, ImportFile, ImportNotes } from '@backlot/core/plugin';
import { delayOf, integerOf, isTree, pointTo, textOf, type Tree } from '@backlot/contracts';
import { Dynamic, evaluate, MOST_VALUES } from '../javascript/evaluate.js';
import { ExpressionReader, type Expression } from '../javascript/expression.js';
import { readSource, type Source } from '../javascript/source.js';
import {
  exactly,
  exactlyAll,
  headersOf,
  httpMock,
  literalBody,
  literalPath,
  statusOf,
  typeOf,
} from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { literalJson } from '../shared/literal.js';
import { targetOf } from '../shared/target.js';

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'merge']);
const TIMES: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3 };
/** Calls that change nothing of what is answered. */
const PLAIN = new Set(['log', 'optionally', 'done', 'isDone', 'on', 'replyContentLength', 'replyDate']);
/** Links of one chain. */
const LONGEST = 2000;

/** Whether a source makes interceptors of nock. */
export function isNockCode({ text, tree }: ImportFile): 'sure' | 'likely' | undefined {
  if (tree !== undefined) return undefined;
  const start = text.slice(0, 1_000_000);
  if (!/\bnock\s*\(/.test(start) || !/\.\s*reply\w*\s*\(/.test(start)) return undefined;
  return /\b(?:from|require\()\s*['"]nock['"]/.test(start) ? 'sure' : 'likely';
}

/** Reads interceptors out of code, as far as what they answer stands there. */
export function* convertNockCode(
  { text, name }: ImportFile,
  notes: ImportNotes,
): Generator<undefined, Imported, undefined> {
  const source = yield* readSource(text, name);
  const reading = new Reading(source, notes);
  for (let at = 0; at < source.tokens.length; at += 1) {
    if (reading.chainAt(at)) yield;
    if (at % 2000 === 0) yield;
  }
  if (reading.hosts.size > 1)
    notes.approximated(
      '',
      'requests to several hosts are answered at one address; the host is not looked at',
    );
  return { protocols: { http: { mocks: reading.mocks } } };
}

/** What is called in a chain, with what. */
interface Link {
  readonly name: string;
  readonly given: readonly Expression[];
}

/** What holds for all interceptors of a scope. */
interface ScopeOf {
  readonly base: string;
  readonly headers: Tree;
  isPersistent: boolean;
  replyHeaders: readonly (readonly [string, string])[];
}

/** What an interceptor takes, before it is said what it answers. */
interface Interceptor {
  readonly request: Record<string, unknown>;
  readonly path: string;
  times: number;
  delay: number;
  /** Why it cannot be taken. */
  reason?: string;
}

class Reading {
  readonly mocks: Tree[] = [];
  readonly hosts = new Set<string>();
  readonly #ids = new Ids();
  readonly #scopes = new Map<string, ScopeOf>();

  constructor(
    private readonly source: Source,
    private readonly notes: ImportNotes,
  ) {}

  /** Takes the chain that begins at a token, on `nock(...)` or on a name that stands for one. */
  chainAt(at: number): boolean {
    const { tokens, scope } = this.source;
    const token = tokens[at];
    const next = tokens[at + 1]?.text;
    if (token?.type !== 'name' || tokens[at - 1]?.text === '.') return false;
    const place = `line ${token.line}`;
    if (token.text === 'nock' && next === '(') {
      const links = linksOf(new ExpressionReader(tokens, at).read());
      const made = links === undefined ? undefined : this.#scopeOf(links[0]?.given ?? [], place);
      // `const api = nock(...)`
      const name = tokens[at - 1]?.text === '=' ? tokens[at - 2]?.text : undefined;
      if (made === undefined) return true;
      if (name !== undefined) this.#scopes.set(name, made);
      this.#follow(links?.slice(1) ?? [], made, place);
      return true;
    }
    if (next !== '.' || scope.find(token.text) === undefined) return false;
    const known = this.#scopes.get(token.text);
    if (known === undefined) return false;
    this.#follow(linksOf(new ExpressionReader(tokens, at).read()) ?? [], known, place);
    return true;
  }

  #scopeOf([url, options]: readonly Expression[], place: string): ScopeOf | undefined {
    try {
      const base = this.#plain(url);
      if (typeof base !== 'string') throw new Dynamic('it has no url');
      const target = targetOf(base);
      if (target === undefined) throw new Dynamic('its url is none');
      this.hosts.add(target.host);
      const given = options === undefined ? {} : this.#plain(options);
      const { reqheaders, ...others } = isTree(given) ? given : {};
      for (const name of Object.keys(others))
        this.notes.approximated(place, `the option "${name.slice(0, 50)}" is not used`);
      return {
        base: target.path === '/' ? '' : target.path.replace(/\/$/, ''),
        headers: isTree(reqheaders) ? reqheaders : {},
        isPersistent: false,
        replyHeaders: [],
      };
    } catch (thrown) {
      if (!(thrown instanceof Dynamic)) throw thrown;
      this.notes.refused(place, `interceptors are left out: ${thrown.message}`);
      return undefined;
    }
  }

  #follow(links: readonly Link[], scope: ScopeOf, place: string): void {
    if (links.some(({ name }) => name === 'persist')) scope.isPersistent = true;
    let interceptor: Interceptor | undefined;
    for (const { name, given } of links) {
      try {
        if (METHODS.has(name)) interceptor = this.#begin(name.toUpperCase(), given, scope);
        else if (name === 'intercept')
          interceptor = this.#begin(String(this.#plain(given[1])).toUpperCase(), [given[0], given[2]], scope);
        else if (name === 'defaultReplyHeaders') scope.replyHeaders = this.#headers(given[0]);
        else if (interceptor !== undefined && this.#say(interceptor, name, given, scope, place))
          interceptor = undefined;
      } catch (thrown) {
        if (!(thrown instanceof Dynamic)) throw thrown;
        if (name.startsWith('reply') || interceptor === undefined) {
          const what =
            interceptor === undefined ? name : `${String(interceptor.request['method'])} ${interceptor.path}`;
          this.notes.refused(place, `"${what.slice(0, 200)}" is left out: ${thrown.message}`);
          interceptor = undefined;
        } else interceptor.reason = thrown.message;
      }
    }
  }

  #begin(method: string, [path, body]: readonly (Expression | undefined)[], scope: ScopeOf): Interceptor {
    const interceptor: Interceptor = { request: { method }, path: '', times: 1, delay: 0 };
    const { request } = interceptor;
    try {
      if (path?.type === 'regex') request['path'] = `re:${expressionOf(path)}`;
      else {
        const given = this.#plain(path);
        const target = typeof given === 'string' ? targetOf(`${scope.base}${given}`) : undefined;
        if (target === undefined) throw new Dynamic('its path is known when the code runs');
        Object.assign(request, literalPath(target.path));
        const query = exactlyAll(target.query);
        if (query !== undefined) request['query'] = query;
        request['no_other_query'] = true;
        Object.assign(interceptor, { path: target.path });
      }
      const headers = exactlyAll(
        Object.entries(scope.headers).map(([name, value]): [string, string] => [name, textOf(value) ?? '']),
      );
      if (headers !== undefined) request['headers'] = headers;
      if (body !== undefined) request['body'] = this.#bodyPattern(body);
    } catch (thrown) {
      if (!(thrown instanceof Dynamic)) throw thrown;
      interceptor.reason = thrown.message;
    }
    return interceptor;
  }

  /** Takes a link behind an interceptor; true when it was the answer. */
  #say(
    interceptor: Interceptor,
    name: string,
    given: readonly Expression[],
    scope: ScopeOf,
    place: string,
  ): boolean {
    const { request } = interceptor;
    const [first, second] = given;
    switch (name) {
      case 'query': {
        const query = this.#plain(first);
        if (query === true) delete request['no_other_query'];
        else if (isTree(query))
          request['query'] = { ...(request['query'] as Tree), ...exactlyAll(flatQuery(query)) };
        else throw new Dynamic('its query is known when the code runs');
        return false;
      }
      case 'matchHeader': {
        const value = second?.type === 'regex' ? `re:${expressionOf(second)}` : this.#plain(second);
        const pattern = second?.type === 'regex' ? value : exactly(textOf(value) ?? '');
        request['headers'] = { ...(request['headers'] as Tree), [String(this.#plain(first))]: pattern };
        return false;
      }
      case 'basicAuth': {
        const { user, pass } = this.#plain(first) as { user?: unknown; pass?: unknown };
        request['auth'] = { type: 'basic', username: textOf(user) ?? '', password: textOf(pass) ?? '' };
        return false;
      }
      case 'times':
        interceptor.times = integerOf(this.#plain(first), 1, 1_000_000) ?? 1;
        return false;
      case 'delay':
      case 'delayConnection':
      case 'delayBody':
        interceptor.delay += Number(this.#plain(first)) || 0;
        return false;
      case 'reply':
        this.#answer(interceptor, given, scope);
        return true;
      case 'replyWithError':
        this.notes.approximated(place, 'an error of the network is a connection that is reset');
        this.#add(interceptor, { broken: 'reset' }, scope);
        return true;
      case 'replyWithFile':
        throw new Dynamic('what it answers stands in another file');
      default:
        if (Object.hasOwn(TIMES, name)) interceptor.times = TIMES[name] ?? 1;
        else if (!PLAIN.has(name) && name !== 'persist')
          this.notes.approximated(place, `"${name.slice(0, 50)}" is not used`);
        return false;
    }
  }

  #answer(interceptor: Interceptor, [code, body, head]: readonly Expression[], scope: ScopeOf): void {
    const status = code === undefined ? 200 : statusOf(this.#plain(code));
    if (status === undefined) throw new Dynamic('its status is none');
    const value = body === undefined ? '' : this.#plain(body);
    const given = [...scope.replyHeaders, ...(head === undefined ? [] : this.#headers(head))];
    const hasType = given.some(([name]) => name.toLowerCase() === 'content-type');
    const isText = typeof value === 'string' || value === undefined;
    const headers = headersOf(isText || hasType ? given : [...given, ['Content-Type', 'application/json']]);
    this.#add(
      interceptor,
      {
        status,
        headers,
        ...(isText ? literalBody(value ?? '', typeOf(headers)) : { json: literalJson(value) }),
      },
      scope,
    );
  }

  #add(interceptor: Interceptor, response: Tree, scope: ScopeOf): void {
    if (interceptor.reason !== undefined) throw new Dynamic(interceptor.reason);
    if (this.mocks.length >= MOST_MOCKS) throw new Dynamic(`interceptors beyond ${MOST_MOCKS} are not taken`);
    const method = String(interceptor.request['method']);
    this.mocks.push(
      httpMock({
        id: this.#ids.take(`${method.toLowerCase()}${interceptor.path}`),
        request: interceptor.request,
        response: { ...response, delay: delayOf(interceptor.delay) },
        ...(scope.isPersistent ? {} : { times: interceptor.times }),
      }),
    );
  }

  #bodyPattern(body: Expression): unknown {
    if (body.type === 'regex') return { regex: expressionOf(body) };
    const value = this.#plain(body);
    return typeof value === 'string' ? { equals: value } : { json: { equals: value } };
  }

  #headers(of: Expression | undefined): readonly (readonly [string, string])[] {
    const value = this.#plain(of);
    if (Array.isArray(value))
      return value.flatMap((name: unknown, at): [string, string][] =>
        at % 2 === 0 ? [[String(name), String(value[at + 1])]] : [],
      );
    return Object.entries(isTree(value) ? value : {}).map(([name, one]) => [name, textOf(one) ?? '']);
  }

  #plain(of: Expression | undefined): unknown {
    if (of === undefined) return undefined;
    return evaluate(of, {
      scope: this.source.scope,
      text: (text) => text,
      requestPart: () => undefined,
      budget: { left: MOST_VALUES },
    });
  }
}

function expressionOf({ source, flags }: Expression & { readonly type: 'regex' }): string {
  const kept = flags.replaceAll(/[^ims]/g, '');
  return `${kept === '' ? '' : `(?${kept})`}${source.replaceAll(String.raw`\/`, '/')}`;
}

function flatQuery(query: Tree): readonly (readonly [string, string])[] {
  return Object.entries(query).flatMap(([name, value]): [string, string][] =>
    Array.isArray(value)
      ? value.map((one, at): [string, string] => [pointTo(name, at).replace(/\/(\d+)$/, '[$1]'), String(one)])
      : [[name, textOf(value) ?? '']],
  );
}

/** The calls of a chain from its beginning: `nock(url)`, `get(path)`, `reply(...)`. */
function linksOf(given: Expression): readonly Link[] | undefined {
  const links: Link[] = [];
  let at = given;
  while (links.length < LONGEST) {
    if (at.type === 'call' && at.callee.type === 'member') {
      links.push({ name: at.callee.name, given: at.given });
      at = at.callee.of;
    } else if (at.type === 'call') {
      links.push({ name: '', given: at.given });
      return links.reverse();
    } else if (at.type === 'member') at = at.of;
    else return at.type === 'name' ? links.reverse() : undefined;
  }
  return undefined;
}
