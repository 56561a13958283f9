import type { StreamId } from '../data/by-id.js';
import type { StreamGroup } from '../data/stream-group.js';
import type { StreamEntry, StreamValue } from '../data/stream-value.js';
import { bigEndian, littleEndian } from './bytes.js';
import { ListpackWriter } from './listpack.js';
import { writeLength, writeRaw, writeText } from './texts.js';

const LOW_64 = 2n ** 64n - 1n;
const SAME_FIELDS = 2;
/** What stands for "not known". */
const UNKNOWN = LOW_64;

/** A stream with its groups: its nodes, each a listpack, what is known of it, then who reads it. */
export function* writeStream(stream: StreamValue): Generator<undefined, string[]> {
  const nodes: string[] = [];
  let gathered: StreamEntry[] = [];
  const flush = (): void => {
    const [first] = gathered;
    if (first !== undefined)
      nodes.push(writeRaw(bigEndian(first.id, 16)) + writeRaw(writeNode(first, gathered)));
    gathered = [];
  };
  for (const entry of stream.entries.range()) {
    if (gathered[0] !== undefined && gathered[0].node !== entry.node) {
      flush();
      yield;
    }
    gathered.push(entry);
  }
  flush();
  const parts = [
    writeLength(nodes.length),
    ...nodes,
    writeLength(stream.size),
    writeId(stream.lastId),
    writeId(stream.firstId),
    writeId(stream.maxDeletedId),
    writeLength(stream.entriesAdded),
    writeLength(stream.groupCount),
  ];
  for (const group of stream.groups()) parts.push(...(yield* writeGroup(group)));
  return parts;
}

function writeId(id: StreamId): string {
  return writeLength(id >> 64n) + writeLength(id & LOW_64);
}

function writeNode({ id: master, fields: names }: StreamEntry, entries: readonly StreamEntry[]): string {
  const packed = new ListpackWriter();
  const keys = names.filter((_, index) => index % 2 === 0);
  for (const value of [entries.length, 0, keys.length]) packed.addInteger(value);
  for (const key of keys) packed.add(key);
  packed.addInteger(0);
  for (const { id, fields } of entries) {
    const isSame = fields.length === names.length && keys.every((key, index) => fields[2 * index] === key);
    packed.addInteger(isSame ? SAME_FIELDS : 0);
    packed.addInteger(BigInt.asIntN(64, (id >> 64n) - (master >> 64n)));
    packed.addInteger(BigInt.asIntN(64, (id & LOW_64) - (master & LOW_64)));
    if (!isSame) packed.addInteger(fields.length / 2);
    for (const [index, text] of fields.entries()) if (!isSame || index % 2 === 1) packed.add(text);
    // How many elements the entry has, to be read from behind.
    packed.addInteger(isSame ? keys.length + 3 : fields.length + 4);
  }
  return packed.take();
}

function* writeGroup(group: StreamGroup): Generator<undefined, string[]> {
  const parts = [
    writeText(group.name),
    writeId(group.lastId),
    writeLength(group.entriesRead ?? UNKNOWN),
    writeLength(group.pending.size),
  ];
  for (const { id, deliveredAt, deliveries } of group.pending.range()) {
    parts.push(bigEndian(id, 16) + littleEndian(Math.floor(deliveredAt), 8) + writeLength(deliveries));
    yield;
  }
  parts.push(writeLength(group.consumerCount));
  for (const { name, seenAt, pending } of group.consumers()) {
    parts.push(writeText(name) + littleEndian(Math.floor(seenAt), 8) + writeLength(pending.size));
    for (const { id } of pending.range()) {
      parts.push(bigEndian(id, 16));
      yield;
    }
  }
  return parts;
}
