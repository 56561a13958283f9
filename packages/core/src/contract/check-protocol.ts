import type { Problem } from '../errors.js';
import { show, unknownField } from '../validation/messages.js';
import { isObject, pointTo } from '../validation/pointer.js';
import type { EmissionDeclaration } from './emission.js';
import type { DataDeclaration, PublishDeclaration } from './data.js';
import type { ItemListDeclaration } from './item-lists.js';
import { SPAN } from './span.js';
import { CONTRACT, type Protocol } from './protocol.js';

/** What a field must be; one with a question mark may be absent. */
type Form = 'text' | 'number' | 'boolean' | 'object' | 'list' | 'function' | 'anything' | `${string}?`;
/**
 * A form for every field of a part of the contract: the compiler refuses a field of the contract that is missing here.
 */
type Forms<Part> = Readonly<Record<keyof Required<Part>, Form>>;

const PROTOCOL: Forms<Protocol> = {
  kind: 'text',
  contract: 'number?',
  meta: 'object',
  config: 'object',
  mocks: 'object',
  itemLists: 'object?',
  fault: 'object?',
  capture: 'object?',
  streams: 'object?',
  data: 'object?',
  publish: 'object?',
  emits: 'object?',
  incidents: 'object?',
  command: 'object?',
  imports: 'object?',
  exports: 'object?',
  recording: 'object?',
  contracts: 'object?',
  routes: 'list?',
  checkConfig: 'function?',
  create: 'function',
  load: 'function?',
  types: 'anything?',
};
const META: Forms<Protocol['meta']> = {
  title: 'text',
  summary: 'text',
  transport: 'text',
  defaultPort: 'number',
  url: 'text',
  urlPath: 'text?',
  urlVariable: 'text?',
  tls: 'anything?',
  gives: 'text?',
  takes: 'text?',
  furtherPorts: 'list?',
};
const MOCKS: Forms<Protocol['mocks']> = {
  noun: 'text',
  configKey: 'text',
  furtherLists: 'list?',
  shorthand: 'object?',
  mode: 'text',
  matching: 'object?',
  schema: 'object',
  examples: 'list',
  answer: 'object?',
  compile: 'function',
  keys: 'function?',
  index: 'function?',
  view: 'object?',
  quietWhenUnmatched: 'boolean?',
  ownWhenUnmatched: 'boolean?',
  patchTargets: 'object?',
  patch: 'object?',
  explain: 'function?',
  explained: 'object?',
};
const FAULT: Forms<NonNullable<Protocol['fault']>> = {
  schema: 'object',
  default: 'object',
  check: 'function?',
  login: 'boolean?',
  standing: 'list?',
};
const CAPTURE: Forms<NonNullable<Protocol['capture']>> = {
  schema: 'object',
  path: 'text?',
  limit: 'number?',
  limitKey: 'text?',
  bytes: 'number?',
  bytesKey: 'text?',
  timeField: 'text?',
  gives: 'text?',
  passes: 'object?',
  attachment: 'function?',
  view: 'object?',
};
const STREAMS: Forms<NonNullable<Protocol['streams']>> = { data: 'object', areConnections: 'boolean?' };
const ITEM_LIST: Forms<ItemListDeclaration> = {
  noun: 'text',
  summary: 'text',
  schema: 'object',
  idField: 'text?',
  path: 'text',
  routes: 'object?',
  configKey: 'text',
  examples: 'list?',
  compile: 'function?',
};
const DATA: Forms<DataDeclaration> = {
  noun: 'text',
  summary: 'text',
  schema: 'object',
  idField: 'text?',
  depth: 'text?',
  put: 'object?',
  remove: 'boolean?',
  view: 'object?',
};
const PUT: Forms<NonNullable<DataDeclaration['put']>> = { schema: 'object', examples: 'list' };
const COMMAND: Forms<NonNullable<Protocol['command']>> = {
  tool: 'text',
  example: 'object?',
  write: 'function',
};
const IMPORTS: Forms<NonNullable<Protocol['imports']>> = { formats: 'object', load: 'function' };
const EXPORTS: Forms<NonNullable<Protocol['exports']>> = { formats: 'object', load: 'function' };
const RECORDING: Forms<NonNullable<Protocol['recording']>> = {
  modes: 'list',
  hasPath: 'boolean?',
  refusesUnrecorded: 'boolean?',
  startsTls: 'boolean?',
  openWith: 'text?',
};
const PUBLISH: Forms<PublishDeclaration> = {
  summary: 'text',
  schema: 'object',
  examples: 'list',
  headersAt: 'list?',
  result: 'object',
};

const EMITS: Forms<EmissionDeclaration> = { summary: 'text', schema: 'object', examples: 'list' };

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  '/meta/transport': ['stream', 'datagram', 'both'],
  '/mocks/mode': ['first', 'all', 'items'],
};

/**
 * Checks that a value is a declaration that this core can host: it is made for the same contract, every required field
 * is there, and none is there that the contract does not have. For values that no compiler has checked, such as those
 * of plugins.
 *
 * @returns every problem, each with a JSON pointer into the declaration; an empty list when there is none
 */
export function checkProtocol(value: unknown): readonly Problem[] {
  if (!isObject(value))
    return [{ path: '', message: `must be what defineProtocol makes, got ${show(value)}` }];
  const { contract = CONTRACT } = value as { contract?: unknown };
  // The rest would only be the consequences.
  if (contract !== CONTRACT) return [{ path: '/contract', message: describeContract(contract) }];
  const problems = checkPart(value, PROTOCOL, '');
  if (value['kind'] === SPAN)
    problems.push({
      path: '/kind',
      message: `"${SPAN}" is what entries of spans are called; a protocol needs another name`,
    });
  const parts: [string, unknown, Readonly<Record<string, Form>>][] = [
    ['/meta', value['meta'], META],
    ['/mocks', value['mocks'], MOCKS],
    ['/fault', value['fault'], FAULT],
    ['/capture', value['capture'], CAPTURE],
    ['/streams', value['streams'], STREAMS],
    ['/publish', value['publish'], PUBLISH],
    ['/emits', value['emits'], EMITS],
    ['/command', value['command'], COMMAND],
    ['/imports', value['imports'], IMPORTS],
    ['/exports', value['exports'], EXPORTS],
    ['/recording', value['recording'], RECORDING],
  ];
  if (isObject(value['data'])) {
    for (const [name, section] of Object.entries(value['data'])) {
      const path = pointTo('/data', name);
      parts.push([path, section, DATA]);
      if (isObject(section)) parts.push([`${path}/put`, section['put'], PUT]);
    }
  }
  if (isObject(value['itemLists'])) {
    for (const [name, itemList] of Object.entries(value['itemLists'])) {
      parts.push([pointTo('/itemLists', name), itemList, ITEM_LIST]);
    }
  }
  for (const [path, part, forms] of parts) {
    if (isObject(part)) problems.push(...checkPart(part, forms, path));
  }
  return problems;
}

function describeContract(contract: unknown): string {
  const made = `it was made for contract ${show(contract)} of @backlot/core, and this one has contract ${CONTRACT}`;
  return Number(contract) > CONTRACT
    ? `${made}; install a newer backlot or @backlot/core, or an older version of the plugin`
    : `${made}; install a newer version of the plugin`;
}

function checkPart(
  part: Readonly<Record<string, unknown>>,
  forms: Readonly<Record<string, Form>>,
  base: string,
): Problem[] {
  const unknown = Object.keys(part)
    .filter((name) => !Object.hasOwn(forms, name))
    .map((name) => ({ path: pointTo(base, name), message: unknownField(name, Object.keys(forms)) }));
  const wrong = Object.entries(forms).flatMap(([name, form]): Problem[] => {
    const value = part[name];
    const path = pointTo(base, name);
    if (value === undefined) return form.endsWith('?') ? [] : [{ path, message: `"${name}" is required` }];
    const wanted = form.replace('?', '');
    if (!hasForm(value, wanted))
      return [{ path, message: `must be ${article(wanted)}, got ${showAny(value)}` }];
    const choices = CHOICES[path];
    if (choices === undefined || choices.some((choice) => choice === value)) return [];
    return [{ path, message: `must be one of ${choices.join(', ')}, got ${show(value)}` }];
  });
  return [...unknown, ...wrong];
}

function hasForm(value: unknown, form: string): boolean {
  switch (form) {
    case 'text':
      return typeof value === 'string' && value !== '';
    case 'object':
      return isObject(value);
    case 'list':
      return Array.isArray(value);
    case 'anything':
      return true;
    default:
      return typeof value === form;
  }
}

function article(form: string): string {
  return form === 'object' ? 'an object' : `a ${form}`;
}

function showAny(value: unknown): string {
  return typeof value === 'function' ? 'a function' : show(value);
}
