import type { Imported, Importer, ImportNotes } from '@backlot/core/plugin';
import { isTree, withoutAbsent, type Tree } from '@backlot/contracts';
import { chainOf, Dynamic, evaluate, MOST_VALUES, type Evaluation } from '../javascript/evaluate.js';
import { ExpressionReader, type Expression } from '../javascript/expression.js';
import type { Scope } from '../javascript/scope.js';
import { readSource, type Source } from '../javascript/source.js';
import type { Token } from '../javascript/tokens.js';
import { httpMock } from '../shared/answer.js';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { literal } from '../shared/literal.js';
import { makeAnswer, type MadeAnswer } from './answer.js';
import { handlerPath } from './path.js';
import { CONTEXT, REQUEST, requestPart, RESPOND, TOOLS } from './request-part.js';
import { followResolver } from './resolver.js';

const FROM = /\b(?:from|require\()\s*['"]msw['"]/;
const HANDLER =
  /\b(?:http|rest)\s*\.\s*(?:get|post|put|patch|delete|head|options|all)\s*[(<]|\bgraphql\s*\.\s*(?:query|mutation)\s*[(<]/;
const ANSWER = /\b(?:Http)?Response\b|\bctx\s*\.\s*(?:json|status|text|data)\b/;
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'all']);
const OPERATIONS = new Set(['query', 'mutation', 'operation', 'subscription']);
/** Characters of a file that are looked at to tell its format. */
const LOOKED_AT = 1_000_000;

/** Handlers of Mock Service Worker, of its versions 1 and 2, as far as what they answer stands in the code. */
export const msw: Importer = {
  format: 'msw',
  title: 'MSW handlers',
  detect: ({ text, tree }) => {
    if (tree !== undefined) return undefined;
    const start = text.slice(0, LOOKED_AT);
    if (FROM.test(start)) return 'sure';
    return HANDLER.test(start) && ANSWER.test(start) ? 'likely' : undefined;
  },
  *convert({ text, name }, notes): Generator<undefined, Imported, undefined> {
    const source = yield* readSource(text, name);
    const reading = new Reading(source, notes);
    for (let at = 0; at < source.tokens.length; at += 1) {
      if (reading.handlerAt(at)) yield;
      if (at % 2000 === 0) yield;
    }
    return reading.finish();
  },
};

/** Which names of a source are those of MSW. */
function namesOf(tokens: readonly Token[]): ReadonlyMap<string, string> {
  const names = new Map([
    ['http', 'http'],
    ['rest', 'rest'],
    ['graphql', 'graphql'],
    ['ws', 'ws'],
  ]);
  for (const [at, { text, type }] of tokens.entries()) {
    if (type !== 'name' || text !== 'import' || tokens[at + 1]?.text !== '{') continue;
    const close = tokens[at + 1]?.close ?? at;
    if (tokens[close + 2]?.text !== 'msw') continue;
    for (let inner = at + 2; inner < close; inner += 1)
      if (tokens[inner + 1]?.text === 'as' && tokens[inner]?.type === 'name')
        names.set(tokens[inner + 2]?.text ?? '', tokens[inner]?.text ?? '');
  }
  return names;
}

class Reading {
  readonly #http: Tree[] = [];
  readonly #graphql: Tree[] = [];
  readonly #ids = new Ids();
  readonly #names: ReadonlyMap<string, string>;

  constructor(
    private readonly source: Source,
    private readonly notes: ImportNotes,
  ) {
    this.#names = namesOf(source.tokens);
  }

  /** Takes the handler that begins at a token; false when none does. */
  handlerAt(at: number): boolean {
    const { tokens } = this.source;
    const [token, dot, method, open] = tokens.slice(at, at + 4);
    if (token?.type !== 'name' || dot?.text !== '.' || (open?.text !== '(' && open?.text !== '<'))
      return false;
    if (tokens[at - 1]?.text === '.') return false;
    const name = this.#names.get(token.text);
    const place = `line ${token.line}`;
    if (name === 'ws' && method?.text === 'link') {
      this.notes.refused(place, 'handlers of WebSocket are code that runs for each connection');
      return true;
    }
    const isHttp = (name === 'http' || name === 'rest') && METHODS.has(method?.text ?? '');
    const isGraphql = name === 'graphql' && OPERATIONS.has(method?.text ?? '');
    if (!isHttp && !isGraphql) return false;
    const call = new ExpressionReader(tokens, at).read();
    const handler = callOf(call);
    if (handler === undefined) return false;
    if (this.#http.length + this.#graphql.length >= MOST_MOCKS) {
      this.notes.refused(place, `handlers beyond ${MOST_MOCKS} are left out`);
      return true;
    }
    try {
      if (isHttp) this.#addHttp(handler, method?.text ?? '', name === 'rest', place);
      else this.#addGraphql(handler, method?.text ?? '', place);
    } catch (thrown) {
      if (!(thrown instanceof Dynamic)) throw thrown;
      this.notes.refused(
        place,
        `${this.#titleOf(handler, method?.text ?? '')} is left out: ${thrown.message}`,
      );
    }
    return true;
  }

  finish(): Imported {
    return {
      protocols: {
        ...(this.#http.length === 0 ? {} : { http: { mocks: this.#http } }),
        ...(this.#graphql.length === 0 ? {} : { graphql: { mocks: this.#graphql } }),
      },
    };
  }

  #titleOf([first]: readonly Expression[], method: string): string {
    const path =
      first?.type === 'value' && typeof first.value === 'string' ? ` "${first.value.slice(0, 200)}"` : '';
    return `"${method}"${path}`;
  }

  #addHttp(given: readonly Expression[], method: string, isFirst: boolean, place: string): void {
    const [path, resolver, options] = given;
    const { notes } = this;
    const request = this.#request(path, place);
    const { response, isOnce } = this.#answer(resolver, isFirst ? 1 : 2, place);
    this.#http.push(
      httpMock({
        id: this.#ids.take(`${method}${request.name}`),
        request: { method: method === 'all' ? undefined : method.toUpperCase(), ...request.request },
        response,
        ...(isOnce || this.#isOnce(options) ? { times: 1 } : {}),
      }),
    );
    if (request.hasHost)
      notes.approximated(
        '',
        'requests to several hosts are answered at one address; the host is not looked at',
      );
  }

  #request(path: Expression | undefined, place: string): { request: Tree; name: string; hasHost: boolean } {
    const found = path?.type === 'name' ? this.source.scope.find(path.name) : undefined;
    const given = found?.members.length === 0 ? found.of : path;
    if (given?.type === 'regex') {
      if (/[^gis]/.test(given.flags))
        throw new Dynamic(`the flags "${given.flags}" of its path are not known`);
      this.notes.approximated(
        place,
        'an expression is compared with the path alone, and not with the whole url',
      );
      const flags = given.flags.replace('g', '');
      return {
        request: {
          path_regex: `${flags === '' ? '' : `(?${flags})`}${given.source.replaceAll(String.raw`\/`, '/')}`,
        },
        name: '-expression',
        hasHost: false,
      };
    }
    const text = given === undefined ? undefined : this.#plain(given, this.source.scope);
    const made = typeof text === 'string' ? handlerPath(text) : undefined;
    if (made === undefined) throw new Dynamic('its path is none that can be matched');
    if (made.hasQuery)
      this.notes.approximated(place, 'MSW does not look at the query of a path, which is left out');
    return made;
  }

  #addGraphql(given: readonly Expression[], operation: string, place: string): void {
    const [name, resolver, options] = operation === 'operation' ? [undefined, ...given] : given;
    const wanted =
      name?.type === 'regex' ? `re:${name.source}` : name && this.#plain(name, this.source.scope);
    if (name !== undefined && (typeof wanted !== 'string' || wanted === ''))
      throw new Dynamic('the name of its operation is known when the code runs');
    const { response, isOnce } = this.#answer(resolver, undefined, place);
    const { json, status } = response;
    if (!isTree(json) || response['broken'] !== undefined)
      throw new Dynamic('its answer is no object with "data" or "errors"');
    if (status !== undefined && status !== 200)
      this.notes.approximated(place, `an answer of GraphQL has the status 200, and not ${Number(status)}`);
    const { data, errors, ...rest } = json;
    this.#graphql.push(
      withoutAbsent({
        id: this.#ids.take(typeof wanted === 'string' ? wanted : 'operation'),
        operation_type: operation === 'operation' ? undefined : operation,
        operation_name: typeof wanted === 'string' ? wanted : undefined,
        response: data === undefined && errors !== undefined ? undefined : withoutAbsent({ data, ...rest }),
        errors,
        delay: response['delay'],
        times: isOnce || this.#isOnce(options) ? 1 : undefined,
      }),
    );
  }

  #isOnce(options: Expression | undefined): boolean {
    if (options?.type !== 'object') return false;
    return options.fields.some(
      ([name, value]) => name === 'once' && value.type === 'value' && value.value === true,
    );
  }

  #answer(resolver: Expression | undefined, version: 1 | 2 | undefined, place: string): MadeAnswer {
    const given = this.#functionOf(resolver);
    const isFirst = version === 1 || (version === undefined && hasSeveral(given));
    const roots = isFirst ? [REQUEST, RESPOND, TOOLS] : [CONTEXT];
    const resolved = followResolver(given, roots, this.source.scope);
    if (resolved.hasEffects)
      this.notes.approximated(place, 'what a handler does beside its answer is not done');
    return makeAnswer(resolved, {
      value: (of) => evaluate(of, { ...this.#evaluation(resolved.scope, place), text: literal, requestPart }),
      plain: (of) => this.#plain(of, resolved.scope),
      approximated: (message) => this.notes.approximated(place, message),
    });
  }

  #functionOf(resolver: Expression | undefined): Expression & { readonly type: 'function' } {
    if (resolver?.type === 'function') return resolver;
    const chain = resolver === undefined ? undefined : chainOf(resolver, this.source.scope);
    if (chain?.of?.type === 'function' && chain.members.length === 0) return chain.of;
    throw new Dynamic('what answers is no function that stands in the file');
  }

  #plain(of: Expression, scope: Scope): unknown {
    return evaluate(of, {
      ...this.#evaluation(scope, ''),
      text: (text) => text,
      requestPart: () => undefined,
    });
  }

  #evaluation(scope: Scope, place: string): Omit<Evaluation, 'text' | 'requestPart'> {
    return {
      scope,
      budget: { left: MOST_VALUES },
      ...(place === ''
        ? {}
        : {
            usesName: (name: string) =>
              this.notes.approximated(
                place,
                `"${name.slice(0, 100)}" is taken as the file gives it; what the code makes of it later is not known`,
              ),
          }),
    };
  }
}

function callOf(given: Expression): readonly Expression[] | undefined {
  // What is called of the handler itself stands around it.
  let at = given;
  for (let depth = 0; depth < 100; depth += 1) {
    if (at.type === 'member') at = at.of;
    else if (at.type === 'call' && at.callee.type === 'member' && at.callee.of.type === 'name')
      return at.given;
    else if (at.type === 'call') at = at.callee;
    else return undefined;
  }
  return undefined;
}

function hasSeveral({ parameters }: Expression & { readonly type: 'function' }): boolean {
  for (let at = parameters.from; at < parameters.to; at += 1) {
    const token = parameters.tokens[at];
    if (token?.text === ',') return true;
    at = Math.max(token?.close ?? at, at);
  }
  return false;
}
