import type { Field, FieldKind, MessageType } from '../schema/model.js';
import { MAX_VALUES, TooManyValues, type StepDecoder } from './decode.js';
import { enumNumber, mapKey, MAX_DEPTH, notNull, takesNull } from './encode.js';
import { FieldError, at, show } from './field-error.js';
import { parseBounded } from './json-text.js';
import { withDefaults } from './made-message.js';
import { SCALARS, type WrittenScalar } from './scalars.js';
import { wellKnownOf } from './well-known.js';

type Plain = Record<string, unknown>;
type Steps = Generator<void, unknown>;

/** So many values are read between two places where the reading can stop. */
const AT_ONCE = 64;
/** Types whose JSON form is any JSON of a kind: its values are their own. */
const FREE = new Set(['google.protobuf.Struct', 'google.protobuf.ListValue', 'google.protobuf.Value']);

/**
 * Reads a message in its JSON form, as the mapping of protobuf to JSON has it, into the value that
 * {@link decodeMessage} gives for its bytes. Fields that the type does not have are skipped, as other servers do.
 */
export class JsonDecoder implements StepDecoder {
  value: unknown = undefined;
  #count = 0;
  readonly #bytes: Buffer;
  readonly #type: MessageType;
  #steps: Steps | undefined;

  constructor(type: MessageType, bytes: Buffer) {
    this.#type = type;
    this.#bytes = bytes;
  }

  get count(): number {
    return this.#count;
  }

  /** As that of the decoder of bytes. @throws FieldError when the text is no such message */
  run(most: number): boolean {
    this.#steps ??= this.#message(this.#type, parseBounded(this.#bytes), 0);
    const until = this.#count + most;
    while (this.#count < until) {
      const step = this.#steps.next();
      if (step.done !== true) continue;
      this.value = step.value;
      return true;
    }
    return false;
  }

  #add(values: number): boolean {
    const before = this.#count;
    this.#count += values;
    if (this.#count > MAX_VALUES) throw new TooManyValues();
    return Math.floor(before / AT_ONCE) !== Math.floor(this.#count / AT_ONCE);
  }

  *#message(type: MessageType, value: unknown, depth: number): Steps {
    if (depth > MAX_DEPTH) throw new FieldError(`is nested deeper than ${MAX_DEPTH} levels`);
    if (wellKnownOf(type) !== undefined) return yield* this.#wellKnown(type, value, depth);
    const given = objectOf(value, type.fullName);
    const plain = Object.create(null) as Plain;
    const oneofs = new Map<string, string>();
    for (const name of Object.keys(given)) {
      const item = given[name];
      const field = type.byName.get(name);
      if (field === undefined || (item === null && !takesNull(field.kind))) continue;
      if (plain[field.name] !== undefined)
        throw new FieldError('is given twice, by both of its names', [name]);
      if (field.oneof !== undefined) {
        const other = oneofs.get(field.oneof);
        if (other !== undefined)
          throw new FieldError(`cannot stand beside ${other}: both belong to the oneof "${field.oneof}"`, [
            name,
          ]);
        oneofs.set(field.oneof, field.name);
      }
      plain[field.name] = yield* within(name, this.#field(field, item, depth));
    }
    for (const field of type.hasRequired ? type.fields : []) {
      if (field.isRequired && plain[field.name] === undefined)
        throw new FieldError('is required', [field.name]);
    }
    if (this.#add(type.fields.length)) yield;
    return withDefaults(type, plain, oneofs);
  }

  *#field({ kind, isRepeated }: Field, value: unknown, depth: number): Steps {
    if (kind.type === 'map') return yield* this.#map(kind, value, depth);
    if (!isRepeated) return yield* this.#one(kind, value, depth);
    if (!Array.isArray(value)) throw new FieldError(`must be a list, got ${show(value)}`);
    const list: unknown[] = [];
    for (const item of value as readonly unknown[])
      list.push(yield* within(list.length, this.#one(kind, item, depth)));
    return list;
  }

  *#one(kind: FieldKind, value: unknown, depth: number): Steps {
    if (this.#add(1)) yield;
    notNull(value, kind);
    if (kind.type === 'message') return yield* this.#message(kind.message, value, depth + 1);
    if (kind.type === 'scalar') {
      const accepted = SCALARS[kind.scalar].accept(value);
      return plainOf(kind.scalar === 'float' ? Math.fround(accepted as number) : accepted);
    }
    if (kind.type !== 'enum') return undefined;
    const number = enumNumber(kind.enum, value);
    return kind.enum.byNumber.get(number) ?? number;
  }

  *#map({ key, value }: Extract<FieldKind, { type: 'map' }>, given: unknown, depth: number): Steps {
    const entries = objectOf(given, 'the entries of a map');
    const map = Object.create(null) as Plain;
    for (const name of Object.keys(entries)) {
      const one = yield* within(name, this.#one(value.kind, entries[name], depth));
      const accepted = at(name, () =>
        key.kind.type === 'scalar' ? SCALARS[key.kind.scalar].accept(mapKey(key.kind, name)) : name,
      );
      map[String(accepted)] = one;
    }
    return map;
  }

  *#wellKnown(type: MessageType, value: unknown, depth: number): Steps {
    if (type.fullName === 'google.protobuf.Any') return yield* this.#any(type, value, depth);
    const wellKnown = wellKnownOf(type);
    const plain = wellKnown?.toPlain(
      value,
      type,
      () => new Uint8Array(0),
      () => false,
    );
    if (FREE.has(type.fullName)) {
      yield* this.#countIn(value);
      return value;
    }
    const [field] = type.fields;
    // A wrapper has one field, which says what its values may be.
    if (type.fields.length === 1 && field?.kind.type === 'scalar' && !field.isRepeated)
      return yield* this.#one(field.kind, plain?.['value'], depth);
    if (this.#add(1)) yield;
    return wellKnown?.fromPlain(plain ?? {}, type);
  }

  *#any(type: MessageType, value: unknown, depth: number): Steps {
    const { '@type': url, ...rest } = objectOf(value, 'with "@type"');
    if (url === undefined && Object.keys(rest).length === 0) return {};
    const inner = typeof url === 'string' ? type.find(url.slice(url.lastIndexOf('/') + 1)) : undefined;
    if (inner === undefined)
      throw new FieldError(`must name a type that a schema defines, got ${show(url)}`, ['@type']);
    if (wellKnownOf(inner) === undefined)
      return { '@type': url, ...((yield* this.#message(inner, rest, depth + 1)) as object) };
    const made = yield* within('value', this.#message(inner, rest['value'], depth + 1));
    return { '@type': url, value: made };
  }

  /** Counts the values of any JSON; how deep it is nested has been looked at. */
  *#countIn(value: unknown): Generator<void> {
    const waiting: unknown[] = [value];
    for (let one = waiting.pop(); waiting.length > 0 || one !== undefined; one = waiting.pop()) {
      if (this.#add(1)) yield;
      if (typeof one === 'object' && one !== null)
        for (const item of Object.values(one) as unknown[]) waiting.push(item);
    }
  }
}

/** Names the place of what goes wrong in the steps. */
function* within(step: string | number, steps: Steps): Steps {
  try {
    return yield* steps;
  } catch (thrown) {
    throw thrown instanceof FieldError && !(thrown instanceof TooManyValues) ? thrown.within(step) : thrown;
  }
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new FieldError(`must be an object (${what}), got ${show(value)}`);
}

/** A scalar as it is read from bytes. */
function plainOf(value: WrittenScalar): string | number | boolean {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
