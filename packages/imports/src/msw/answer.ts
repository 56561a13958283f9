import { delayOf, integerOf, isTree, listOf, textOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { chainOf, Dynamic, written } from '../javascript/evaluate.js';
import type { Expression } from '../javascript/expression.js';
import { headersOf, statusOf } from '../shared/answer.js';
import { RESPOND, TOOLS } from './request-part.js';
import type { Resolved } from './resolver.js';

/** What an answer is as a mock has it; `json` of GraphQL is the whole result. */
export interface MadeAnswer {
  readonly response: Tree;
  /** Whether only the first request gets it. */
  readonly isOnce: boolean;
}

/** What making an answer needs. */
export interface AnswerTools {
  /** The value of an expression, with tags for parts of the request. */
  readonly value: (of: Expression) => unknown;
  /** The value of an expression as it stands in the code. */
  readonly plain: (of: Expression) => unknown;
  readonly approximated: (message: string) => void;
}

/**
 * Makes the answer of what a resolver returns.
 *
 * @throws Dynamic when it is known only when the code runs, or is none
 */
export function makeAnswer(resolved: Resolved, tools: AnswerTools): MadeAnswer {
  const answer = answerOf(resolved.answer, resolved, 0);
  if (answer.type === 'value' && answer.value === undefined)
    throw new Dynamic('it answers nothing, and leaves the request to others');
  if (answer.type !== 'call') throw new Dynamic('its answer is known when the code runs');
  const delay = resolved.delay === undefined ? undefined : delayText(resolved.delay, tools);
  const chain = chainOf(answer.callee, resolved.scope);
  const made =
    chain?.root === RESPOND ? respondOne(answer, chain.members, resolved, tools) : respondTwo(answer, tools);
  return { ...made, response: withoutAbsent({ delay, ...made.response }) };
}

/** An answer that stands elsewhere in the file. */
function answerOf(given: Expression, { scope }: Resolved, depth: number): Expression {
  if (given.type !== 'name' || depth > 20) return given;
  const named = scope.find(given.name);
  if (named === undefined || named.members.length > 0)
    throw new Dynamic(`it answers "${given.name.slice(0, 100)}", which is known when the code runs`);
  return answerOf(named.of, { scope } as Resolved, depth + 1);
}

/** `HttpResponse` and `Response` of MSW 2. */
function respondTwo(call: Expression & { readonly type: 'call' }, tools: AnswerTools): MadeAnswer {
  const callee = written(call.callee);
  const [first, second] = call.given;
  const name = /^(?:HttpResponse|Response|NextResponse)(?:\.(\w+))?$/.exec(callee)?.[1];
  if (name === undefined && !(call.isNew && /^(?:HttpResponse|Response)$/.test(callee)))
    throw new Dynamic(`it answers what "${callee.slice(0, 100)}" gives when the code runs`);
  if (name === 'redirect') {
    const status = second === undefined ? 302 : statusOf(tools.plain(second));
    return once({ status, headers: { Location: String(first === undefined ? '' : tools.value(first)) } });
  }
  const init = second === undefined ? {} : initOf(second, tools);
  const text = (type: string): MadeAnswer => once(withType(init, type, textBody(first, tools)));
  switch (name) {
    case 'json':
      return once(withType(init, 'application/json', jsonBody(first, tools)));
    case 'text':
      return text('text/plain');
    case 'xml':
      return text('text/xml');
    case 'html':
      return text('text/html');
    case 'error':
      tools.approximated('an error of the network is a connection that is reset');
      return once({ broken: 'reset' });
    case undefined:
      return once(
        first === undefined || (first.type === 'value' && first.value === null)
          ? init
          : withType(init, 'text/plain;charset=UTF-8', textBody(first, tools)),
      );
    default:
      throw new Dynamic(`it answers with "${callee.slice(0, 100)}", which has no counterpart`);
  }
}

/** `res(ctx.status(...), ctx.json(...))` of MSW 1. */
function respondOne(
  { given }: Expression & { readonly type: 'call' },
  members: readonly string[],
  { scope }: Resolved,
  tools: AnswerTools,
): MadeAnswer {
  const [way] = members;
  if (way === 'networkError') {
    tools.approximated('an error of the network is a connection that is reset');
    return once({ broken: 'reset' });
  }
  if (way !== undefined && way !== 'once') throw new Dynamic(`"res.${way.slice(0, 50)}" has no counterpart`);
  let response: Tree = { status: 200 };
  for (const part of given) {
    const chain = part.type === 'call' ? chainOf(part.callee, scope) : undefined;
    if (part.type !== 'call' || chain?.root !== TOOLS || chain.members.length !== 1)
      throw new Dynamic('a part of its answer is known when the code runs');
    response = partOne(response, chain.members[0] ?? '', part.given, tools);
  }
  return { response, isOnce: way === 'once' };
}

function partOne(response: Tree, name: string, given: readonly Expression[], tools: AnswerTools): Tree {
  const [first, second] = given;
  const text = (of: Expression | undefined): string => String(of === undefined ? '' : tools.value(of));
  switch (name) {
    case 'status':
      if (second !== undefined) noteStatusText(tools);
      return { ...response, status: statusOf(first && tools.plain(first)) ?? 200 };
    case 'json':
      return withType(response, 'application/json', jsonBody(first, tools));
    case 'text':
      return withType(response, 'text/plain', textBody(first, tools));
    case 'xml':
      return withType(response, 'text/xml', textBody(first, tools));
    case 'body':
      return { ...response, ...textBody(first, tools) };
    case 'set':
      return {
        ...response,
        headers: mergeHeaders(
          response['headers'],
          second === undefined
            ? Object.entries((first && tools.value(first)) as object).map(entryOf)
            : [[String(first && tools.plain(first)), text(second)]],
        ),
      };
    case 'cookie':
      if (given.length > 2) tools.approximated('attributes of cookies are left out');
      return {
        ...response,
        headers: mergeHeaders(response['headers'], [['Set-Cookie', `${text(first)}=${text(second)}`]]),
      };
    case 'delay':
      return { ...response, delay: delayText(given, tools) };
    case 'data':
      return { ...response, json: { ...(response['json'] as Tree), data: first && tools.value(first) } };
    case 'errors':
      return { ...response, json: { ...(response['json'] as Tree), errors: first && tools.value(first) } };
    default:
      throw new Dynamic(`"ctx.${name.slice(0, 50)}" has no counterpart`);
  }
}

function once(response: Tree): MadeAnswer {
  return { response, isOnce: false };
}

function jsonBody(of: Expression | undefined, tools: AnswerTools): Tree {
  const value = of === undefined ? undefined : tools.value(of);
  return value === undefined ? {} : { json: value };
}

function textBody(of: Expression | undefined, tools: AnswerTools): Tree {
  const value = of === undefined ? '' : tools.value(of);
  if (typeof value === 'object' && value !== null) throw new Dynamic('its body is no text');
  const text = textOf(value) ?? '';
  return text === '' ? {} : { body: text };
}

function initOf(of: Expression, tools: AnswerTools): Tree {
  const headers = of.type === 'object' ? of.fields.find(([name]) => name === 'headers')?.[1] : undefined;
  const rest: Expression =
    of.type === 'object' ? { ...of, fields: of.fields.filter(([name]) => name !== 'headers') } : of;
  const init = tools.plain(rest);
  if (!isTree(init)) throw new Dynamic('what its answer is besides the body is known when the code runs');
  if (init['statusText'] !== undefined) noteStatusText(tools);
  const made = headers !== undefined && headers.type === 'call' && headers.isNew ? headers.given[0] : headers;
  const given = made === undefined ? init['headers'] : tools.value(made);
  const entries = Array.isArray(given)
    ? listOf(given).map((pair): [string, string] => [String(listOf(pair)[0]), String(listOf(pair)[1])])
    : Object.entries(isTree(given) ? given : {}).map(entryOf);
  return withoutAbsent({ status: statusOf(init['status'] ?? 200) ?? 200, headers: headersOf(entries) });
}

function noteStatusText(tools: AnswerTools): void {
  tools.approximated('the text behind a status is the usual one');
}

function entryOf([name, value]: [string, unknown]): [string, string] {
  return [name, textOf(value) ?? ''];
}

function mergeHeaders(before: unknown, entries: readonly (readonly [string, string])[]): Tree | undefined {
  const known = Object.entries(isTree(before) ? before : {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as string[]) : [String(value)]).map((one): [string, string] => [
      name,
      one,
    ]),
  );
  return headersOf([...known, ...entries]);
}

function withType(response: Tree, type: string, body: Tree): Tree {
  const headers = isTree(response['headers']) ? response['headers'] : {};
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    status: 200,
    ...response,
    headers: hasType ? headers : { 'Content-Type': type, ...headers },
    ...body,
  };
}

function delayText(given: readonly Expression[], tools: AnswerTools): string | Tree | undefined {
  const [first] = given;
  const value = first === undefined ? 'real' : tools.plain(first);
  if (value === 'infinite') throw new Dynamic('it never answers');
  if (value !== 'real') return delayOf(integerOf(value, 0, 3_600_000));
  tools.approximated('a delay as a real server has it is one of 100 to 400 ms');
  return { uniform: { min: '100ms', max: '400ms' } };
}
