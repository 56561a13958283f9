import type { ImportFile } from '@backlot/core/plugin';
import { UNCHECKED } from '../schema/checks.js';
import { Sampler } from '../schema/sampler.js';
import { Chance } from '../shared/chance.js';
import { isTree, memberOf, textOf, treeOf, type Tree } from '../shared/values.js';
import { responseAt, responseContents, responseFor, type ApiResponse } from './answers.js';
import { isJson, type Content } from './bodies.js';
import type { ApiTools, Operation } from './document.js';
import type { Headers, MadeAnswer } from './messages.js';
import { readPreference, wanted, type Preference } from './prefer.js';

/** What an answer is made with. */
export interface Making {
  readonly seed: number;
  /** Which answer of its operation it is; only those that differ each time look at it. */
  readonly call: number;
}

/** Why no answer can be made of what a client asks for. */
export interface NotMade {
  readonly status: 404 | 406 | 500;
  readonly reason: string;
}

/** Makes an answer of an operation: an example of the document, else a value of its schema. */
export function makeResponse(
  operation: Operation,
  headers: Headers,
  making: Making,
  tools: ApiTools,
): MadeAnswer | NotMade {
  const preference = readPreference(headers);
  const response =
    preference.code === undefined
      ? usualResponse(operation, tools)
      : responseFor(operation, preference.code, tools);
  if (response === undefined)
    return preference.code === undefined
      ? { status: 500, reason: `${operation.name} has no response` }
      : {
          status: 404,
          reason: `${operation.name} has no response ${preference.code}; it has ${operation.statuses.join(', ') || 'none'}`,
        };
  const status = preference.code ?? statusOf(response.written, operation);
  const own = making.seed;
  const chance = preference.isDynamic
    ? Chance.of(own, operation.name, response.written, making.call)
    : Chance.of(own, operation.name, response.written);
  const contents = responseContents(response, operation, tools);
  const made = headersOf(response, chance, tools);
  const hasNoBody = contents.length === 0 || status < 200 || status === 204 || status === 304;
  if (hasNoBody) return { status, headers: made, body: undefined };
  const content = choose(contents, headers);
  if (content === undefined)
    return {
      status: 406,
      reason: `${operation.name} answers ${contents.map(({ type }) => type).join(' or ')}, which Accept does not allow`,
    };
  const value = valueOf(content, preference, chance, tools);
  if ('reason' in value)
    return { status: value.isUnknown ? 404 : 500, reason: `${operation.name}: ${value.reason}` };
  const type = concreteType(content.type);
  return { status, headers: [['Content-Type', type], ...made], body: textOfValue(value.value, type) };
}

/** The least success, then the default, then whatever is least. */
function usualResponse(operation: Operation, tools: ApiTools): ApiResponse | undefined {
  const rank = (written: string): number => {
    if (written === 'default') return 300;
    const least = Number(written.replaceAll(/x/gi, '0'));
    return least >= 200 && least < 300 ? least : least + 1000;
  };
  const [usual] = operation.statuses.toSorted((a, b) => rank(a) - rank(b));
  return usual === undefined ? undefined : responseAt(operation, usual, tools);
}

/** The default is how an operation fails that says how it succeeds. */
function statusOf(written: string, { statuses }: Operation): number {
  if (written !== 'default') return Number(written.replaceAll(/x/gi, '0'));
  return statuses.some((one) => one.startsWith('2')) ? 500 : 200;
}

/** What a client wants most; of what it wants as much, JSON. */
function choose(contents: readonly Content[], headers: Headers): Content | undefined {
  const ranked = contents
    .map((content) => ({
      content,
      quality: wanted(concreteType(content.type), headers),
      isJson: isJson(plain(content.type)),
    }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || Number(b.isJson) - Number(a.isJson));
  return ranked[0]?.content;
}

function valueOf(
  { media, document }: Content,
  { example, isDynamic }: Preference,
  chance: Chance,
  tools: ApiTools,
): { readonly value: unknown } | { readonly reason: string; readonly isUnknown: boolean } {
  const { references } = tools;
  const { schema } = media;
  const examples = Object.entries(treeOf(media['examples'])).map(([name, given]) => ({
    name,
    value: memberOf(references.follow({ value: given, document }).value, 'value'),
  }));
  if (example !== undefined) {
    const named = examples.find(({ name }) => name === example);
    if (named?.value !== undefined) return { value: named.value };
    const known = examples.map(({ name }) => name).join(', ') || 'none';
    return { reason: `there is no example "${example.slice(0, 100)}"; there are ${known}`, isUnknown: true };
  }
  const isAllowed = (value: unknown): boolean => isFree(tools.checks.find(schema, document, 'answer', value));
  if (!isDynamic) {
    // Documents are changed, and their examples are forgotten: only what the schema allows is answered.
    for (const value of [media['example'], ...examples.map((each) => each.value)])
      if (value !== undefined && isAllowed(value)) return { value };
  }
  if (schema === undefined) return { value: '' };
  for (const usesExamples of isDynamic ? [false] : [true, false]) {
    const value = new Sampler(references, chance, {
      usesExamples,
      varies: isDynamic,
      looksReal: true,
    }).sample(schema, document, '');
    if (value !== undefined && isAllowed(value)) return { value };
  }
  // With little but what must be there, less can be wrong.
  const least = new Sampler(references, chance, {
    usesExamples: false,
    onlyRequired: true,
    looksReal: true,
  }).sample(schema, document, '');
  if (least !== undefined && isAllowed(least)) return { value: least };
  return { reason: 'no value was found that its schema allows', isUnknown: false };
}

function headersOf(
  { tree, document }: ApiResponse,
  chance: Chance,
  { references, isSwagger, checks }: ApiTools,
): (readonly [string, string])[] {
  return Object.entries(treeOf(tree['headers']))
    .slice(0, 100)
    .flatMap(([name, given]): (readonly [string, string])[] => {
      const { value: header, document: where } = references.follow({ value: given, document });
      if (!isTree(header) || /^content-type$/i.test(name) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return [];
      const schema = isSwagger ? header : (header['schema'] ?? { type: 'string' });
      const value = sampleHeader(header, schema, where, name, chance, references, checks);
      const text =
        textOf(value) ?? (isTree(value) || Array.isArray(value) ? JSON.stringify(value) : undefined);
      return text === undefined ? [] : [[name, text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]+/g, ' ')]];
    });
}

function sampleHeader(
  header: Tree,
  schema: unknown,
  document: ImportFile,
  name: string,
  chance: Chance,
  references: ApiTools['references'],
  checks: ApiTools['checks'],
): unknown {
  const given = header['example'];
  if (given !== undefined && isFree(checks.find(schema, document, 'answer', given))) return given;
  for (const usesExamples of [true, false]) {
    const value = new Sampler(references, chance, { usesExamples }).sample(schema, document, name);
    if (value !== undefined && isFree(checks.find(schema, document, 'answer', value))) return value;
  }
  return undefined;
}

/** Whether nothing was found against a value; nobody knows of what would cost too much to check. */
function isFree(found: ReturnType<ApiTools['checks']['find']>): boolean {
  return found === undefined || found === UNCHECKED;
}

function plain(type: string): string {
  return type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** A range of types as one of them. */
function concreteType(type: string): string {
  const short = plain(type);
  if (short === '*/*' || short === 'application/*' || !short.includes('/')) return 'application/json';
  return short.endsWith('/*') ? short.replace('/*', '/plain') : type.trim();
}

function textOfValue(value: unknown, type: string): string {
  if (!isJson(plain(type)) && typeof value === 'string') return value;
  return JSON.stringify(value);
}
