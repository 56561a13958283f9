import type { Random } from '@backlot/core/plugin';
import type { Field, FieldKind, MessageType, ScalarName } from '../schema/model.js';
import { wellKnownOf } from './well-known.js';

/** Levels of messages in messages; below it nothing is made that need not be there. */
const DEEP = 6;
/** Fields of one message and of those in it. */
const BUDGET = 2000;
/** 2024-01-01, from which times count: they have to be the same in each run, whatever the clock says. */
const FIRST_DAY = 1_704_067_200;

type Plain = Record<string, unknown>;

/** A value of a message type in the form that encoding takes: the same one for the same seed, and of bounded size. */
export function sampleMessage(type: MessageType, random: Random): unknown {
  return new MessageSampler(random).message(type);
}

class MessageSampler {
  /** The types on the way, which tell where one is within itself. */
  readonly #way: MessageType[] = [];
  #left = BUDGET;

  constructor(private readonly random: Random) {}

  message(type: MessageType): unknown {
    const known = this.#wellKnown(type);
    if (known !== undefined) return known;
    const made: Plain = {};
    const oneofs = new Set<string>();
    this.#way.push(type);
    for (const field of type.fields) {
      if (field.oneof !== undefined && oneofs.has(field.oneof)) continue;
      if (!field.isRequired && !this.#isWanted(field.kind)) continue;
      this.#left -= 1;
      const value = this.#value(field.kind, field.name);
      if (value === undefined) continue;
      if (field.oneof !== undefined) oneofs.add(field.oneof);
      made[field.name] = field.isRepeated && field.kind.type !== 'map' ? [value] : value;
    }
    this.#way.pop();
    return made;
  }

  /** Whether there is room for a field that need not be there: a message within itself is left out. */
  #isWanted(kind: FieldKind): boolean {
    if (this.#left <= 0) return false;
    const inner = kind.type === 'map' ? kind.value.kind : kind;
    return inner.type !== 'message' || (this.#way.length < DEEP && !this.#way.includes(inner.message));
  }

  #value(kind: FieldKind, name: string): unknown {
    switch (kind.type) {
      case 'scalar':
        return this.#scalar(kind.scalar, name);
      case 'enum':
        // The first value often stands for none at all.
        return kind.enum.byNumber.get(1) ?? kind.enum.first;
      case 'message':
        return this.#way.length > 2 * DEEP ? {} : this.message(kind.message);
      case 'map':
        return { [this.#key(kind.key)]: this.#value(kind.value.kind, name) };
    }
  }

  #key({ kind }: Field): string {
    return kind.type === 'scalar' && kind.scalar !== 'string'
      ? kind.scalar === 'bool'
        ? 'true'
        : '1'
      : 'key';
  }

  #scalar(scalar: ScalarName, name: string): unknown {
    switch (scalar) {
      case 'string':
        return name.replace(/^\[.*\.|\]$/g, '');
      case 'bytes':
        return Buffer.from(name).toString('base64');
      case 'bool':
        return true;
      case 'double':
      case 'float':
        return this.random.int(1, 99) + 0.5;
      default:
        return this.random.int(1, 99);
    }
  }

  #wellKnown(type: MessageType): unknown {
    if (wellKnownOf(type) === undefined) return undefined;
    switch (type.fullName) {
      case 'google.protobuf.Timestamp':
        return new Date((FIRST_DAY + this.random.int(0, 31_000_000)) * 1000).toISOString();
      case 'google.protobuf.Duration':
        return `${this.random.int(1, 59)}s`;
      case 'google.protobuf.FieldMask':
        return '';
      case 'google.protobuf.Value':
        return 'value';
      case 'google.protobuf.ListValue':
        return ['value'];
      case 'google.protobuf.StringValue':
        return 'value';
      case 'google.protobuf.BytesValue':
        return Buffer.from('value').toString('base64');
      case 'google.protobuf.BoolValue':
        return true;
      case 'google.protobuf.Struct':
      case 'google.protobuf.Any':
        return {};
      default:
        return this.random.int(1, 99);
    }
  }
}
