import net from 'node:net';
import {
  abandon,
  collectCleanups,
  startKind,
  type RunningKind,
  type StartKindOptions,
} from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { ByteReader, ByteWriter } from '@backlot/kit/framing';
import { Kafka, logLevel, Partitioners, type Consumer, type KafkaMessage, type Producer } from 'kafkajs';
import { kafka } from '../src/index.js';
import type { Api } from '../src/wire/api.js';
import { makeBatch, RecordBatch } from '../src/wire/batch.js';
import { crc32c } from '../src/wire/crc32c.js';
import type { Decoded, Encodable, Fields } from '../src/wire/fields.js';
import { readMessage, skipTags } from '../src/wire/read-message.js';
import { writeMessage } from '../src/wire/write-message.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export interface Running extends RunningKind {
  readonly address: string;
}

/** A host with a running Kafka kind; it is stopped after the test. */
export async function startHost(settings: Json = {}, more: StartKindOptions = {}): Promise<Running> {
  const running = await startKind(kafka, afterThis, settings, more);
  return { ...running, address: `127.0.0.1:${running.port}` };
}

/** A client of kafkajs that says nothing on the console. */
export function connectKafkaJs({ address }: Pick<Running, 'address'>, more: object = {}): Kafka {
  return new Kafka({ brokers: [address], clientId: 'tester', logLevel: logLevel.NOTHING, ...more });
}

/** A connected producer; kafkajs prints a notice unless the partitioner is named. */
export async function startProducer(client: Kafka, more: object = {}): Promise<Producer> {
  const producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner, ...more });
  await producer.connect();
  afterThis(() => producer.disconnect());
  return producer;
}

/** What a consumer has read. */
export interface Reading {
  readonly consumer: Consumer;
  readonly messages: (KafkaMessage & { readonly topic: string; readonly partition: number })[];
}

/** A consumer of kafkajs that reads from the beginning and keeps what it reads. */
export async function startConsumer(
  client: Kafka,
  groupId: string,
  topics: string[],
  more: object = {},
): Promise<Reading> {
  const consumer = client.consumer({ groupId, ...more });
  afterThis(() => consumer.disconnect());
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  const messages: Reading['messages'] = [];
  await consumer.run({
    eachMessage: ({ topic, partition, message }) => {
      messages.push({ ...message, topic, partition });
      return Promise.resolve();
    },
  });
  return { consumer, messages };
}

/** A client that speaks the protocol by itself, for what no real client does. */
export class RawClient {
  readonly socket: net.Socket;
  isClosed = false;
  #received: Buffer = Buffer.alloc(0);
  readonly #waiting: ((frame: Buffer | undefined) => void)[] = [];
  #correlationId = 0;

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('close', () => {
      this.isClosed = true;
      for (const settle of this.#waiting.splice(0)) settle(undefined);
    });
    afterThis(() => abandon(socket));
  }

  static async connect(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const socket = net.connect({ port, host, noDelay: true });
    const client = new RawClient(socket);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return client;
  }

  /** Sends a request and reads its answer; answers have to be read in order. */
  async call<Request extends Fields, Response extends Fields>(
    api: Api<Request, Response>,
    version: number,
    request: Encodable<Request>,
  ): Promise<Decoded<Response>> {
    const correlationId = this.send(api, version, request);
    const frame = await this.frame();
    if (frame === undefined) throw new Error('the connection was closed');
    return decodeResponse(api, version, frame, correlationId);
  }

  send<Request extends Fields>(api: Api<Request>, version: number, request: Encodable<Request>): number {
    const correlationId = (this.#correlationId += 1);
    this.socket.write(encodeRequest(api, version, request, correlationId));
    return correlationId;
  }

  /** The next frame without its length; `undefined` when the connection was closed. */
  frame(): Promise<Buffer | undefined> {
    const frame = this.#take();
    if (frame !== undefined || this.isClosed) return Promise.resolve(frame);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    if (!this.isClosed) await new Promise((resolve) => this.socket.once('close', resolve));
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#waiting.length > 0) {
      const frame = this.#take();
      if (frame === undefined) return;
      this.#waiting.shift()?.(frame);
    }
  }

  #take(): Buffer | undefined {
    if (this.#received.length < 4) return undefined;
    const end = 4 + this.#received.readInt32BE(0);
    if (this.#received.length < end) return undefined;
    const frame = this.#received.subarray(4, end);
    this.#received = this.#received.subarray(end);
    return frame;
  }
}

export function encodeRequest<Request extends Fields>(
  api: Api<Request>,
  version: number,
  request: Encodable<Request>,
  correlationId = 1,
): Buffer {
  const isFlexible = version >= api.flexible;
  const writer = new ByteWriter().u32(0).i16(api.key).i16(version).i32(correlationId).i16(3).text('raw');
  if (isFlexible) writer.u8(0);
  writeMessage(api.request, request, writer, version, isFlexible);
  return writer.setU32(0, writer.length - 4).finish();
}

export function decodeResponse<Response extends Fields>(
  api: Api<Fields, Response>,
  version: number,
  frame: Buffer,
  correlationId: number,
): Decoded<Response> {
  const reader = new ByteReader(frame);
  const got = reader.i32();
  if (got !== correlationId) throw new Error(`got the answer to request ${got}, want ${correlationId}`);
  const isFlexible = version >= api.flexible;
  if (isFlexible && api.name !== 'ApiVersions') skipTags(reader);
  const response = readMessage(api.response, reader, version, isFlexible);
  if (reader.remaining !== 0)
    throw new Error(`${reader.remaining} bytes are left of an answer of ${api.name}`);
  return response;
}

/** The bytes of a batch of records with these values, of an idempotent producer if one is given. */
export function batchOf(
  values: readonly string[],
  producer?: { readonly id: number; readonly epoch: number; readonly sequence: number },
  timestamp = 1_700_000_000_000,
): Buffer {
  const records = values.map((value) => ({ key: null, value: Buffer.from(value), headers: [] }));
  const { bytes } = makeBatch(records, timestamp);
  if (producer === undefined) return bytes;
  bytes.writeBigInt64BE(BigInt(producer.id), 43);
  bytes.writeInt16BE(producer.epoch, 51);
  bytes.writeInt32BE(producer.sequence, 53);
  return seal(bytes);
}

/** Makes the checksum of a changed batch right again. */
export function seal(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch, 21), 17);
  return batch;
}

/** The values in the batches of an answer to Fetch. */
export function valuesOf(records: Buffer | null): (string | undefined)[] {
  const values: (string | undefined)[] = [];
  for (let rest = records ?? Buffer.alloc(0); rest.length > 0;) {
    const end = 12 + rest.readInt32BE(8);
    values.push(...new RecordBatch(rest.subarray(0, end)).records().map((record) => record.valueText));
    rest = rest.subarray(end);
  }
  return values;
}
