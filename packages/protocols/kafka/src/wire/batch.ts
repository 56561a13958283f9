import { KeptBytes } from '@backlot/kit';
import { ByteWriter, FramingError } from '@backlot/kit/framing';
import { decompress, ZSTD } from './compression.js';
import { crc32c } from './crc32c.js';
import { drain } from './drain.js';
import { RecordReader, type RecordHeader, type WireRecord } from './record.js';
import { writeInt64, writeZigzag } from './varint.js';

/** Where the fields of a batch's header stand (record batch v2; Kafka documentation, "Record Batch"; KIP-98). */
const AT = {
  baseOffset: 0,
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  count: 57,
  records: 61,
} as const;
/** Bits of the attributes. */
const CODEC = 0x07;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
/** The types of control records. */
const ABORT = 0;
const COMMIT = 1;
/** The offset and the length itself, which the length does not count. */
const BEFORE_LENGTH = 12;
/** Partitions and captured records hold on to batches for long. */
const kept = new KeptBytes();

/** So many records are read within a moment. */
const FEW = 500;
/** Records that are read in one step. */
const AT_ONCE = 1024;

/** A record batch as it stands on the wire. */
export class RecordBatch {
  readonly bytes: Buffer;

  /** @throws FramingError when the bytes are no whole batch of exactly their length */
  constructor(bytes: Buffer) {
    if (bytes.length < AT.magic + 1) throw tooShort(bytes.length);
    this.bytes = bytes;
    if (this.magic !== 2) return;
    if (bytes.length < AT.records) throw tooShort(bytes.length);
    const said = bytes.readInt32BE(AT.length) + BEFORE_LENGTH;
    if (said !== bytes.length) {
      throw new FramingError('malformed', `a batch of ${bytes.length} bytes says it has ${said}`);
    }
  }

  /** 2; less for the message sets of before 2017, of which nothing else can be read here. */
  get magic(): number {
    return this.bytes.readInt8(AT.magic);
  }

  get hasGoodChecksum(): boolean {
    return crc32c(this.bytes, AT.attributes) === this.bytes.readUInt32BE(AT.crc);
  }

  /** 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd. */
  get codec(): number {
    return this.bytes.readInt16BE(AT.attributes) & CODEC;
  }

  get isTransactional(): boolean {
    return (this.bytes.readInt16BE(AT.attributes) & TRANSACTIONAL) !== 0;
  }

  get isControl(): boolean {
    return (this.bytes.readInt16BE(AT.attributes) & CONTROL) !== 0;
  }

  get lastOffsetDelta(): number {
    return this.bytes.readInt32BE(AT.lastOffsetDelta);
  }

  /** What a control batch says of its producer's transaction (Kafka documentation, "Control Batches"). */
  get isCommit(): boolean {
    return this.records()[0]?.key?.readInt16BE(2) === COMMIT;
  }

  get baseTimestamp(): number {
    return int64At(this.bytes, AT.baseTimestamp);
  }

  get maxTimestamp(): number {
    return int64At(this.bytes, AT.maxTimestamp);
  }

  /** -1 of a producer that is not idempotent. */
  get producerId(): number {
    return int64At(this.bytes, AT.producerId);
  }

  get producerEpoch(): number {
    return this.bytes.readInt16BE(AT.producerEpoch);
  }

  get baseSequence(): number {
    return this.bytes.readInt32BE(AT.baseSequence);
  }

  get count(): number {
    return this.bytes.readInt32BE(AT.count);
  }

  /** @throws FramingError when they are damaged, or do not have the number that the batch says */
  records(): WireRecord[] {
    if (this.codec !== 0) return drain(this.recordsInSteps());
    const reader = new RecordReader(this.bytes, AT.records, this.count, this.baseTimestamp);
    reader.read(Infinity);
    return reader.records;
  }

  /** {@link records} in steps between which others may be let in. */
  *recordsInSteps(): Generator<undefined, WireRecord[]> {
    const bytes = yield* decompress(this.codec, this.bytes.subarray(AT.records));
    if (this.codec !== 0) yield;
    const reader = new RecordReader(bytes, 0, this.count, this.baseTimestamp);
    while (!reader.read(AT_ONCE)) yield;
    return reader.records;
  }

  /** Gives the batch its place in a log: it is changed, outside of what the checksum covers. */
  placeAt(offset: number): void {
    this.bytes.writeInt32BE(Math.floor(offset / 0x1_0000_0000), AT.baseOffset);
    this.bytes.writeUInt32BE(offset >>> 0, AT.baseOffset + 4);
    this.bytes.writeInt32BE(0, AT.leaderEpoch);
  }
}

/** Whether the records of a batch, if it is one, are compressed with Zstandard. */
export function isZstd(bytes: Buffer): boolean {
  return bytes.length >= AT.records && (bytes.readInt16BE(AT.attributes) & CODEC) === ZSTD;
}

/** Whether reading the records of a batch, if it is one, may take long. */
export function mayBeLarge(bytes: Buffer): boolean {
  if (bytes.length < AT.records) return false;
  return (bytes.readInt16BE(AT.attributes) & CODEC) !== 0 || bytes.readUInt32BE(AT.count) > FEW;
}

/** A record that is to be stored. */
export interface NewRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/** A copy of the bytes of a batch, for the log to keep. */
export function copyBatch(bytes: Uint8Array): RecordBatch {
  return new RecordBatch(kept.copy(bytes));
}

/** The producer whose transaction a batch of our own is a part of. */
export interface TransactionalProducer {
  readonly producerId: number;
  readonly epoch: number;
}

/**
 * Makes an uncompressed batch.
 *
 * @param timestamp - milliseconds since 1970, of every record in it
 * @param producer - whose transaction it is a part of; none when absent
 */
export function makeBatch(
  records: readonly NewRecord[],
  timestamp: number,
  producer?: TransactionalProducer,
): RecordBatch {
  return encodeBatch(records, timestamp, producer === undefined ? 0 : TRANSACTIONAL, producer);
}

/** Makes the control batch that ends a producer's transaction in a log. */
export function makeMarker(
  producer: TransactionalProducer,
  isCommit: boolean,
  timestamp: number,
): RecordBatch {
  const key = Buffer.alloc(4);
  key.writeInt16BE(isCommit ? COMMIT : ABORT, 2);
  // The version and the epoch of the coordinator, both 0.
  const value = Buffer.alloc(6);
  return encodeBatch([{ key, value, headers: [] }], timestamp, TRANSACTIONAL | CONTROL, producer);
}

function encodeBatch(
  records: readonly NewRecord[],
  timestamp: number,
  attributes: number,
  producer: TransactionalProducer | undefined,
): RecordBatch {
  const writer = new ByteWriter(256);
  writeInt64(writer, 0);
  writer.i32(0).i32(0).i8(2).u32(0).i16(attributes);
  writer.i32(records.length - 1);
  writeInt64(writer, timestamp);
  writeInt64(writer, timestamp);
  writeInt64(writer, producer?.producerId ?? -1);
  writer
    .i16(producer?.epoch ?? -1)
    .i32(-1)
    .i32(records.length);
  records.forEach((record, index) => writeRecord(writer, record, index));
  writer.setU32(AT.length, writer.length - BEFORE_LENGTH);
  // A copy: the writer's own buffer is larger.
  const bytes = kept.copy(writer.finish());
  bytes.writeUInt32BE(crc32c(bytes, AT.attributes), AT.crc);
  return new RecordBatch(bytes);
}

function writeRecord(writer: ByteWriter, record: NewRecord, index: number): void {
  const body = new ByteWriter(128).u8(0);
  writeZigzag(body, 0);
  writeZigzag(body, index);
  writeBytes(body, record.key);
  writeBytes(body, record.value);
  writeZigzag(body, record.headers.length);
  for (const [name, value] of record.headers) {
    writeBytes(body, Buffer.from(name));
    writeBytes(body, value);
  }
  writeZigzag(writer, body.length);
  writer.bytes(body.finish());
}

function writeBytes(writer: ByteWriter, bytes: Buffer | null): void {
  writeZigzag(writer, bytes?.length ?? -1);
  if (bytes !== null) writer.bytes(bytes);
}

function int64At(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 0x1_0000_0000 + bytes.readUInt32BE(at + 4);
}

function tooShort(length: number): FramingError {
  return new FramingError('truncated', `${length} bytes are no record batch, whose header has ${AT.records}`);
}
