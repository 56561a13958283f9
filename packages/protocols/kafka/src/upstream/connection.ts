import { runInSlices, type Upstream } from '@backlot/core/plugin';
import { describeClient, type Connection } from '@backlot/kit';
import { ByteReader } from '@backlot/kit/framing';
import { FrameRelay, MAX_WATCHED_FRAME, type FrameFate, type FrameSide } from '@backlot/kit/upstream';
import { parseAdvertised } from '../advertised.js';
import { fetch } from '../wire/apis/fetch.js';
import { metadata } from '../wire/apis/metadata.js';
import { produce } from '../wire/apis/produce.js';
import { saslHandshake } from '../wire/apis/sasl-handshake.js';
import { nameOfError } from '../wire/errors.js';
import { isZstd } from '../wire/batch.js';
import { readMessage, skipTags } from '../wire/read-message.js';
import { loadZstd } from '../wire/zstd.js';
import type { KafkaExchange } from '../shape.js';
import { isRewritten, rewriteAnswer } from './addresses.js';
import { keptMessage, recordsIn } from './records.js';
import type { Relay } from './relay.js';

/** Requests of one client that wait for their answers. */
const MAX_WAITING = 10_000;
/** The longest answer with addresses: of a cluster with very many topics. */
const LONGEST = 64 * 1024 * 1024;
const HEADER = 12;

/** A request that is not answered yet. */
interface Asked {
  readonly key: number;
  readonly version: number;
  /** The entries of records that it brought, by topic and partition. */
  readonly produced?: Promise<ReadonlyMap<string, readonly KafkaExchange[]>> | undefined;
}

/** A client whose requests go to a broker of the upstream, over a connection of its own. */
export class RelayedConnection {
  readonly #connection: Connection;
  readonly #relay: Relay;
  /** By their correlation ids. */
  readonly #asked = new Map<number, Asked>();
  #clientId = '';
  /** After a handshake of version 0 the login comes without a header, and is answered without one. */
  #bare: 'none' | 'request' | 'answer' = 'none';

  constructor(connection: Connection, relay: Relay, upstream: Upstream) {
    this.#connection = connection;
    this.#relay = relay;
    describeClient(connection, () => ({ client: this.#clientId }));
    new FrameRelay({
      ...{ connection, upstream, authorities: relay.authorities, log: relay.log },
      warn: (text) => relay.context.log.warn(text),
      toUpstream: { measure: measureFrame, take: (frame) => this.#takeRequest(frame) },
      toClient: this.#answers(),
    });
  }

  #answers(): FrameSide {
    let longest = MAX_WATCHED_FRAME;
    return {
      measure: (bytes, start, end) => {
        if (end - start < 8) return 0;
        const asked = this.#asked.get(bytes.readInt32BE(start + 4));
        // Its addresses are to be replaced, however long it is.
        longest = asked !== undefined && isRewritten(asked.key) ? LONGEST : MAX_WATCHED_FRAME;
        return measureFrame(bytes, start, end);
      },
      get longest() {
        return longest;
      },
      take: (frame) => this.#takeAnswer(frame),
    };
  }

  #takeRequest(frame: Buffer): FrameFate {
    if (this.#bare === 'request' || frame.length < HEADER) {
      this.#bare = this.#bare === 'request' ? 'answer' : this.#bare;
      return 'pass';
    }
    const reader = new ByteReader(frame, 4);
    const key = reader.i16();
    const version = reader.i16();
    const correlationId = reader.i32();
    const idLength = reader.i16();
    if (idLength >= 0) this.#clientId = reader.text(idLength);
    if (key === saslHandshake.key && version === 0) this.#bare = 'request';
    const isRead = key === produce.key && version >= 3 && version <= produce.max;
    const produced = isRead ? this.#readProduced(reader, version) : undefined;
    if (produced?.acks === 0) {
      void produced.exchanges.then((all) => endAll(all, () => undefined));
      return 'pass';
    }
    if (this.#asked.size < MAX_WAITING)
      this.#asked.set(correlationId, { key, version, produced: produced?.exchanges });
    return 'pass';
  }

  #takeAnswer(frame: Buffer): FrameFate | Promise<FrameFate> {
    if (this.#bare === 'answer' || frame.length < 8) {
      // The answer to the handshake comes before the one to the login.
      if (this.#asked.size === 0) this.#bare = 'none';
      return 'pass';
    }
    const correlationId = frame.readInt32BE(4);
    const asked = this.#asked.get(correlationId);
    if (asked === undefined) return 'pass';
    this.#asked.delete(correlationId);
    const { key, version, produced } = asked;
    if (isRewritten(key)) return this.#rewrite(frame, key, version);
    if (produced !== undefined) this.#readOutcome(frame, version, produced);
    else if (key === fetch.key && version <= fetch.max) this.#readFetched(frame, version);
    return 'pass';
  }

  async #rewrite(frame: Buffer, key: number, version: number): Promise<FrameFate> {
    const { config } = this.#relay.context;
    const advertised =
      config.advertised_host === undefined ? undefined : parseAdvertised(config.advertised_host);
    const rewritten = await rewriteAnswer(frame, key, version, (host, port) =>
      this.#relay.placeOf(this.#connection, { host: config.host, port: config.port }, advertised, {
        host,
        port,
      }),
    );
    if (key === metadata.key && version >= 10) this.#learnTopics(rewritten, version);
    return rewritten;
  }

  #learnTopics(frame: Buffer, version: number): void {
    const { topics } = readMessage(metadata.response, answerReader(frame, true), version, true);
    for (const { topicId, name } of topics) if (name !== null) this.#relay.learn(topicId, name);
  }

  #readProduced(
    reader: ByteReader,
    version: number,
  ): {
    readonly acks: number;
    readonly exchanges: Promise<ReadonlyMap<string, readonly KafkaExchange[]>>;
  } {
    const isFlexible = version >= produce.flexible;
    if (isFlexible) skipTags(reader);
    const { acks, topicData } = readMessage(produce.request, reader, version, isFlexible);
    const parts = topicData.flatMap(({ name, partitionData }) =>
      partitionData.map(({ index, records }) => ({ topic: name, index, records })),
    );
    return { acks, exchanges: this.#receive('PRODUCE', parts) };
  }

  #readOutcome(
    frame: Buffer,
    version: number,
    produced: Promise<ReadonlyMap<string, readonly KafkaExchange[]>>,
  ): void {
    const isFlexible = version >= produce.flexible;
    const { responses } = readMessage(produce.response, answerReader(frame, isFlexible), version, isFlexible);
    const codes = new Map<string, number>(
      responses.flatMap(({ name, partitionResponses }) =>
        partitionResponses.map(({ index, errorCode }) => [`${name} ${index}`, errorCode] as const),
      ),
    );
    void produced.then((all) => endAll(all, (part) => codes.get(part)));
  }

  #readFetched(frame: Buffer, version: number): void {
    const isFlexible = version >= fetch.flexible;
    const { responses } = readMessage(fetch.response, answerReader(frame, isFlexible), version, isFlexible);
    const parts = responses.flatMap(({ topic, topicId, partitions }) =>
      partitions.map(({ partitionIndex, records }) => ({
        topic: version >= 13 ? this.#relay.nameOf(topicId) : topic,
        index: partitionIndex,
        records,
      })),
    );
    void this.#receive('FETCH', parts).then((all) => endAll(all, () => undefined));
  }

  /** Makes entries of records beside their way. */
  async #receive(
    method: 'PRODUCE' | 'FETCH',
    parts: readonly { readonly topic: string; readonly index: number; readonly records: Buffer | null }[],
  ): Promise<ReadonlyMap<string, readonly KafkaExchange[]>> {
    const { context } = this.#relay;
    const exchanges = new Map<string, readonly KafkaExchange[]>();
    const { remote } = this.#connection;
    function* read(): Generator<undefined> {
      for (const { topic, index, records } of parts) {
        if (records === null || records.length === 0) continue;
        const received: KafkaExchange[] = [];
        for (const record of yield* recordsIn(records)) {
          const exchange = context.receive(keptMessage(method, topic, index, record, remote));
          exchange.noteUpstream({ answered: true });
          received.push(exchange);
          yield;
        }
        exchanges.set(`${topic} ${index}`, received);
      }
    }
    try {
      if (parts.some(({ records }) => records !== null && isZstd(records))) await loadZstd();
      await runInSlices(read());
    } catch (thrown) {
      context.log.warn(`${remote}: records of the upstream are not in the log: ${String(thrown)}`);
    }
    return exchanges;
  }
}

/** Ends the entries of records. @param codeOf - the error code of a topic and partition, where one has come */
function endAll(
  all: ReadonlyMap<string, readonly KafkaExchange[]>,
  codeOf: (part: string) => number | undefined,
): void {
  for (const [part, exchanges] of all) {
    const code = codeOf(part);
    const reply = code === undefined ? undefined : { status: nameOfError(code) };
    for (const exchange of exchanges) exchange.done(reply);
  }
}

function measureFrame(bytes: Buffer, start: number, end: number): number {
  return end - start < 4 ? 0 : 4 + bytes.readUInt32BE(start);
}

/** A reader behind the header of an answer. */
function answerReader(frame: Buffer, isFlexible: boolean): ByteReader {
  const reader = new ByteReader(frame, 8);
  if (isFlexible) skipTags(reader);
  return reader;
}
