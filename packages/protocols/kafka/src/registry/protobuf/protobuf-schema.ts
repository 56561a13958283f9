import protobuf from 'protobufjs';
import { ByteReader, ByteWriter } from '@backlot/kit/framing';
import { writeZigzag } from '../../wire/varint.js';
import type { ParsedSchema, ParseSchema } from '../schema-format.js';
import { compareMessages } from './compare-messages.js';
import { readFile, type ProtoFile } from './proto-file.js';

/** Messages within one another that the indexes lead through. */
const MAX_NESTING = 100;
/** Numbers of 64 bits and names of enums are texts, bytes are base64, as in the JSON of Protobuf. */
const SHOWN = { longs: String, enums: String, bytes: String, json: true } as const;

/** Reads a schema of Protobuf: the text of a `.proto`, or a FileDescriptorProto in base64. */
export const parseProtobuf: ParseSchema = (text, references) => {
  const root = new protobuf.Root();
  const given = new Set(references.map(({ name }) => name));
  for (const { text: referenced } of references) addFile(root, readFile(referenced), given);
  const file = readFile(text);
  addFile(root, file, given);
  root.resolveAll();
  if (file.messages.length === 0) throw new Error('it has no message');
  return new ProtobufSchema(text, root, file);
};

/** Adds a file with those of google/protobuf that it imports and nobody has given. */
function addFile(root: protobuf.Root, file: ProtoFile, given: ReadonlySet<string>): void {
  for (const name of file.imports) {
    if (given.has(name)) continue;
    const known = protobuf.common.get(name);
    if (known === null) throw new Error(`there is no reference for the import ${JSON.stringify(name)}`);
    root.addJSON(known.nested ?? {});
  }
  root.addJSON(file.nested);
}

class ProtobufSchema implements ParsedSchema {
  readonly text: string;
  readonly #root: protobuf.Root;
  readonly #file: ProtoFile;

  constructor(text: string, root: protobuf.Root, file: ProtoFile) {
    this.text = text;
    this.#root = root;
    this.#file = file;
  }

  decode(bytes: Buffer): unknown {
    const reader = new ByteReader(bytes);
    const type = this.#typeOf(reader);
    // The client of kafkajs leaves the indexes out: what follows the id is the first message.
    const [read, body] =
      type === undefined ? [this.#typeAt([0]), bytes] : [type, reader.bytes(reader.remaining)];
    return read.toObject(read.decode(body), SHOWN);
  }

  /** As the first message, unless the value says `@type`. */
  encode(value: unknown): Buffer {
    const { '@type': wanted, ...fields } = value as Record<string, unknown>;
    const path = typeof wanted === 'string' ? this.#file.pathOf(wanted) : [0];
    if (path === undefined) throw new Error(`there is no message ${JSON.stringify(wanted)}`);
    const type = this.#typeAt(path);
    const writer = new ByteWriter(64);
    const isFirst = path.length === 1 && path[0] === 0;
    writeZigzag(writer, isFirst ? 0 : path.length);
    if (!isFirst) for (const index of path) writeZigzag(writer, index);
    writer.bytes(Buffer.from(type.encode(type.fromObject(fields)).finish()));
    return writer.finish();
  }

  problemsReading(writer: ParsedSchema): readonly string[] {
    if (!(writer instanceof ProtobufSchema)) return ['the other schema is not of Protobuf'];
    return compareMessages(this.#root, writer.#root, writer.#file.names);
  }

  /** The message that the indexes lead to; `undefined` when they lead nowhere. */
  #typeOf(reader: ByteReader): protobuf.Type | undefined {
    const path = readIndexes(reader);
    return path === undefined || this.#file.nameAt(path) === undefined ? undefined : this.#typeAt(path);
  }

  #typeAt(path: readonly number[]): protobuf.Type {
    const name = this.#file.nameAt(path);
    if (name === undefined) throw new Error(`there is no message at ${path.join('.')}`);
    return this.#root.lookupType(name);
  }
}

/** Which message it is: none stands for the first one (Confluent's wire format). */
function readIndexes(reader: ByteReader): readonly number[] | undefined {
  const count = readZigzag(reader);
  if (count === 0) return [0];
  if (count < 0 || count > Math.min(reader.remaining, MAX_NESTING)) return undefined;
  return Array.from({ length: count }, () => readZigzag(reader));
}

function readZigzag(reader: ByteReader): number {
  const value = reader.varint();
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
