import { isJsonType } from '../shared/answer.js';
import { literal, literalJson } from '../shared/literal.js';
import { isTree, memberOf, type Tree } from '@backlot/contracts';
import { concreteAddress, parameterName, parametersOf } from './address.js';
import type { Channel, Example, Message, Operation, Tools } from './document.js';

/** A way to a message that an operation takes, and what is answered to it. */
export interface Variant {
  readonly message: Message | undefined;
  /** A pattern for the payload; absent where any is meant. */
  readonly pattern: Tree | undefined;
  readonly answer: Message | undefined;
}

/** The messages of an operation, apart where their constants tell them. */
export function variantsOf({ messages, reply, place }: Operation, { notes }: Tools): readonly Variant[] {
  const [answer, ...others] = reply?.messages ?? [];
  if (others.length > 0)
    notes.approximated(place, `of several replies the first is sent, "${answer?.name.slice(0, 100) ?? ''}"`);
  const areTold = messages.length > 0 && messages.every(({ constants }) => constants !== undefined);
  if (!areTold) return [{ message: messages[0], pattern: undefined, answer }];
  return messages.map((message) => ({
    message,
    pattern: { json: { partial: literalJson(message.constants) } },
    answer,
  }));
}

/** The payload of an example as the fields of an answer: `json`, or a text in the field that the kind has for it. */
export function contentOf(
  { contentType }: Message,
  { payload }: Example,
  field: string,
): Readonly<Record<string, unknown>> {
  if (payload === undefined) return {};
  if (typeof payload === 'string' && !isJsonType(contentType)) return { [field]: literal(payload) };
  return { json: literalJson(payload) };
}

/** An answer, and headers of it, that carry on the correlation id of what they answer. */
export function answerContent(
  request: Message | undefined,
  answer: Message,
  field: string,
): { readonly content: Readonly<Record<string, unknown>>; readonly headers: Tree } {
  const [example] = answer.examples;
  const content = contentOf(answer, example, field);
  const headers = literalJson(example.headers) as Tree;
  const source = request?.correlation === undefined ? undefined : templateOf(request.correlation);
  // An answer that does not say where its id stands has it where the request has, if there is such a place.
  const written = answer.correlation ?? request?.correlation;
  const target = written === undefined ? undefined : locationOf(written);
  const isThere =
    answer.correlation !== undefined || (target !== undefined && hasValue(target, content, headers));
  if (!isThere || source === undefined || target === undefined) return { content, headers };
  if (target.part === 'header') return { content, headers: withValue(headers, target.steps, source) };
  return isTree(content['json'])
    ? { content: { json: withValue(content['json'], target.steps, source) }, headers }
    : { content, headers };
}

/** Where an answer goes: with the parameters of the request's address, where it has the same ones. */
export function answerAddress(channel: Channel, request: Channel, captures: boolean, tools: Tools): string {
  const known = captures ? parametersOf(request.address ?? '') : new Set<string>();
  return concreteAddress(channel, tools, (name) =>
    known.has(name) ? `{{request.params.${parameterName(name)}}}` : undefined,
  );
}

/** A location of a message as a template. */
export function templateOf(location: string): string | undefined {
  const found = locationOf(location);
  if (found === undefined) return undefined;
  return `{{request.${found.part === 'header' ? 'headers' : 'body'}.${found.steps.join('.')}}}`;
}

function locationOf(
  location: string,
): { readonly part: 'header' | 'payload'; readonly steps: readonly string[] } | undefined {
  const match = /^\$message\.(header|payload)#((?:\/[\w-]{1,100}){1,10})$/.exec(location);
  return match === null
    ? undefined
    : { part: match[1] as 'header' | 'payload', steps: (match[2] ?? '').slice(1).split('/') };
}

function hasValue(
  { part, steps }: NonNullable<ReturnType<typeof locationOf>>,
  content: Readonly<Record<string, unknown>>,
  headers: Tree,
): boolean {
  let value: unknown = part === 'header' ? headers : content['json'];
  for (const step of steps) value = memberOf(value, step);
  return value !== undefined;
}

function withValue(tree: Tree, [step = '', ...further]: readonly string[], value: string): Tree {
  const inner = tree[step];
  return {
    ...tree,
    [step]: further.length === 0 ? value : withValue(isTree(inner) ? inner : {}, further, value),
  };
}
