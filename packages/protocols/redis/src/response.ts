import type { CompileTools, Match, Pointer, Template, ValueOf } from '@backlot/core/plugin';
import { pointTo } from '@backlot/core/plugin';
import { RESPONSE_TYPES, type MockSchema, type ResponseType } from './schemas.js';
import { parseFloat64, parseInt64 } from './wire/numbers.js';
import {
  array,
  boolean,
  bulk,
  double,
  error,
  integer,
  map,
  nil,
  nilArray,
  set,
  simple,
  type Resp,
} from './wire/reply.js';
import { oneLine, toWire } from './wire/text.js';
import { encodeInserted, isLoneTag } from './inserted-value.js';

/** Makes the encoded answer of a mock. */
export type MakeReply = (match: Match, resp: Resp) => string;

const MAX_DEPTH = 32;
const TYPES: ReadonlySet<string> = new Set(RESPONSE_TYPES);

/** A compiled answer. */
export interface CompiledResponse {
  readonly make: MakeReply;
  /** Whether it is always the same in one version of the protocol. */
  readonly isConstant: boolean;
}

/** Compiles an answer. */
export function compileResponse(
  { type, value }: NonNullable<ValueOf<typeof MockSchema>['response']>,
  tools: CompileTools,
): CompiledResponse {
  // Of a type that is none the schema has told already.
  if (!TYPES.has(type)) return { make: () => '', isConstant: true };
  const compiler = new ResponseCompiler(tools);
  const make = compiler.typed(type, value, '/response', 0);
  return { make, isConstant: compiler.isConstant };
}

class ResponseCompiler {
  readonly #tools: CompileTools;
  isConstant = true;

  constructor(tools: CompileTools) {
    this.#tools = tools;
  }

  /** @param at - where the object of `type` and `value` stands */
  typed(type: ResponseType, value: unknown, at: Pointer, depth: number): MakeReply {
    const place = `${at}/value`;
    switch (type) {
      case 'nil':
      case 'null':
        if (value !== undefined && value !== null) this.#refuse(place, `${type} has no value; leave it out`);
        return (_match, resp) => nil(resp);
      case 'nil_array':
        if (value !== undefined && value !== null) this.#refuse(place, `${type} has no value; leave it out`);
        return (_match, resp) => nilArray(resp);
      case 'array':
      case 'set': {
        if (isLoneTag(value)) return this.#inserted(type, value, place);
        const items = this.#list(type, value, place, depth);
        const encode = type === 'array' ? (parts: string[]) => array(parts) : set;
        return (match, resp) =>
          encode(
            items.map((make) => make(match, resp)),
            resp,
          );
      }
      case 'map':
        return isLoneTag(value) ? this.#inserted(type, value, place) : this.#map(value, place, depth);
      case 'bulk':
        return this.#bulk(value, place);
      default:
        return this.#line(type, value, place);
    }
  }

  /** A text that is one tag, such as `{{row}}`: what it inserts is the whole value. */
  #inserted(type: 'array' | 'set' | 'map', value: string, at: Pointer): MakeReply {
    const template = this.#tools.value(value, at);
    if (template.constant) this.#refuse(at, `the value of ${type} is a text, ${show(value)}, without a tag`);
    this.isConstant = false;
    return (match, resp) => {
      const made = match.renderValue(template);
      return (
        encodeInserted(type, made, resp) ??
        error(toWire(`ERR mock "${match.mock.id}" made ${show(made)}, which is no ${type}`))
      );
    };
  }

  /** A plain element of a list or map. */
  #plain(value: unknown, at: Pointer, depth: number): MakeReply {
    if (depth > MAX_DEPTH) {
      this.#refuse(at, `is nested deeper than ${MAX_DEPTH} levels`);
      return (_match, resp) => nil(resp);
    }
    if (value === null) return (_match, resp) => nil(resp);
    if (typeof value === 'string') return this.#bulk(value, at);
    if (typeof value === 'boolean') return (_match, resp) => boolean(value, resp);
    if (typeof value === 'number')
      return Number.isSafeInteger(value) ? () => integer(value) : (_match, resp) => double(value, resp);
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.#plain(item, pointTo(at, index), depth + 1));
      return (match, resp) => array(items.map((make) => make(match, resp)));
    }
    const { type, value: inner, ...rest } = value as Record<string, unknown>;
    if (typeof type === 'string' && TYPES.has(type) && Object.keys(rest).length === 0)
      return this.typed(type as ResponseType, inner, at, depth + 1);
    return this.#map(value, at, depth);
  }

  #list(type: string, value: unknown, at: Pointer, depth: number): MakeReply[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.#refuse(at, `the value of ${type} must be a list, got ${show(value)}`);
      return [];
    }
    return value.map((item, index) => this.#plain(item, pointTo(at, index), depth + 1));
  }

  #map(value: unknown, at: Pointer, depth: number): MakeReply {
    if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      this.#refuse(at, `the value of map must be an object, got ${show(value)}`);
      return (_match, resp) => map([], resp);
    }
    const items = Object.entries(value ?? {}).flatMap(([key, item]) => [
      this.#bulk(key, pointTo(at, key)),
      this.#plain(item, pointTo(at, key), depth + 1),
    ]);
    return (match, resp) =>
      map(
        items.map((make) => make(match, resp)),
        resp,
      );
  }

  #bulk(value: unknown, at: Pointer): MakeReply {
    if (typeof value === 'object' && value !== null) {
      const template = this.#tools.value(value, at);
      if (!template.constant) this.isConstant = false;
      return (match) => bulk(toWire(JSON.stringify(match.renderValue(template))));
    }
    const template = this.#template(value, at, 'auto');
    return (match) => bulk(toWire(match.render(template)));
  }

  /** The types whose answer is a line. */
  #line(type: 'string' | 'error' | 'integer' | 'double' | 'boolean', value: unknown, at: Pointer): MakeReply {
    if (value === undefined && type !== 'string') this.#refuse(at, `${type} needs a value`);
    if (typeof value === 'object')
      this.#refuse(at, `the value of ${type} must be a plain value, got ${show(value)}`);
    const template = this.#template(value, at, 'text');
    const encode = LINES[type];
    if (template.constant && encode(template.source, 3) === undefined) {
      this.#refuse(at, `${show(value)} is no ${type}${type === 'integer' ? ' of 64 bits' : ''}`);
    }
    if (template.constant && (type === 'string' || type === 'error') && /[\r\n]/.test(template.source)) {
      this.#refuse(at, `${show(value)} has a line end in it, which ${type} cannot carry; use bulk`);
    }
    return (match, resp) => {
      const text = match.render(template);
      return (
        encode(toWire(text), resp) ??
        error(toWire(`ERR mock "${match.mock.id}" made ${show(text)}, which is no ${type}`))
      );
    };
  }

  #template(value: unknown, at: Pointer, target: 'auto' | 'text'): Template {
    const source =
      value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    const template = this.#tools.template(source, at, { target });
    if (!template.constant) this.isConstant = false;
    return template;
  }

  #refuse(at: Pointer, message: string): void {
    this.#tools.problem(at, message);
  }
}

/** Encodes a text as a line of some type, or `undefined` when it is no value of it. */
const LINES = {
  string: (text: string) => simple(text),
  error: (text: string) => error(oneLine(text).replace(/^-/, '')),
  integer: (text: string) => {
    const value = parseInt64(text.trim());
    return value === undefined ? undefined : integer(value);
  },
  double: (text: string, resp: Resp) => {
    const value = parseFloat64(text.trim());
    return value === undefined ? undefined : double(value, resp);
  },
  boolean: (text: string, resp: Resp) =>
    text === 'true' || text === 'false' ? boolean(text === 'true', resp) : undefined,
};

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
