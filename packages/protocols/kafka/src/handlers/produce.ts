import type { MatchOf, OutcomeFor, Reply } from '@backlot/core/plugin';
import type { OpenTransaction } from '../broker/broker.js';
import type { PartitionLog } from '../broker/partition-log.js';
import { CapturedRecord } from '../captured-record.js';
import { encodeContent, renderContent } from '../content.js';
import { KafkaMessage } from '../message.js';
import { viewRecord, type DecodedRecord } from '../registry/decoded-record.js';
import type { KafkaExchange, KafkaShape } from '../shape.js';
import type { RequestOf, ResponseOf } from '../wire/api.js';
import type { produce } from '../wire/apis/produce.js';
import { isZstd, mayBeLarge, type RecordBatch } from '../wire/batch.js';
import { drain } from '../wire/drain.js';
import { ERROR, nameOfError, parseErrorCode } from '../wire/errors.js';
import type { WireRecord } from '../wire/record.js';
import { loadZstd } from '../wire/zstd.js';
import type { Call, Handler, Services } from './call.js';
import { checkBatch } from './check-batch.js';

type KafkaOutcome = OutcomeFor<KafkaShape>;

const STORED: Reply = Object.freeze({ status: 'NONE' });

/** One record on its way. */
interface Arrival {
  readonly exchange: KafkaExchange;
  outcome: KafkaOutcome | undefined;
}

/** What is answered for one partition. */
interface PartitionAnswer {
  readonly index: number;
  readonly errorCode: number;
  readonly baseOffset?: number;
  readonly logStartOffset?: number;
  readonly errorMessage?: string | null;
}

/** A batch for one partition that has been read and whose records have been matched. */
interface Pending {
  readonly topic: string;
  readonly index: number;
  /** Of the request; null for none. */
  readonly transactionalId: string | null;
  readonly batch: RecordBatch;
  readonly records: readonly WireRecord[];
  /** The records as they are seen, in the same order. */
  readonly views: readonly (WireRecord | DecodedRecord)[];
  readonly arrivals: readonly Arrival[];
}

type Request = RequestOf<typeof produce>;
type Response = ResponseOf<typeof produce>;
type Part = PartitionAnswer | Pending;
type Read = readonly { readonly name: string; readonly parts: readonly Part[] }[];

/** Batches in one request that are handled without a step in between, and records that are handled in one step. */
const FEW = 16;
const AT_ONCE = 32;

/** Stores batches and lets mocks answer their records. A record that meets a fault has its whole batch refused. */
export const handleProduce: Handler<typeof produce> = (request, call, services) => {
  const loading = hasZstd(request) ? loadZstd() : undefined;
  if (loading === undefined) {
    const steps = produceAll(request, call, services);
    // Values that are decoded may take long, each.
    return services.registry !== undefined || isLarge(request) ? steps : drain(steps);
  }
  call.holdStop();
  return loading.then(
    () =>
      new Promise((resolve) => {
        services.jobs.add(resolving(produceAll(request, call, services), resolve));
      }),
  );
};

function hasZstd({ topicData }: Request): boolean {
  return topicData.some(({ partitionData }) =>
    partitionData.some(({ records }) => records !== null && isZstd(records)),
  );
}

/** Whether a request may take long. */
function isLarge({ topicData }: Request): boolean {
  let count = 0;
  for (const { partitionData } of topicData) {
    count += partitionData.length;
    if (count > FEW) return true;
    for (const { records } of partitionData) if (records !== null && mayBeLarge(records)) return true;
  }
  return topicData.length > FEW;
}

function* produceAll(
  request: Request,
  call: Call,
  services: Services,
): Generator<undefined, Response | undefined | Promise<Response | undefined>> {
  const waits: Promise<void>[] = [];
  const read: { name: string; parts: Part[] }[] = [];
  for (const { name, partitionData } of request.topicData) {
    const parts: Part[] = [];
    for (const part of partitionData) parts.push(yield* receive(name, part, request, call, services, waits));
    read.push({ name, parts });
  }
  if (waits.length === 0) return yield* answerAll(read, request.acks, call, services);
  const exchanges = read
    .flatMap(({ parts }) => parts)
    .flatMap((part) => ('arrivals' in part ? part.arrivals : []));
  call.holdStop();
  call.onLeave(() => {
    for (const { exchange } of exchanges) exchange.abort();
  });
  return Promise.all(waits).then(
    () =>
      new Promise((resolve) => {
        services.jobs.add(resolving(answerAll(read, request.acks, call, services), resolve));
      }),
  );
}

function* resolving<T>(steps: Generator<undefined, T>, resolve: (value: T) => void): Generator {
  resolve(yield* steps);
}

function* answerAll(
  read: Read,
  acks: number,
  call: Call,
  services: Services,
): Generator<undefined, Response | undefined> {
  const responses: { name: string; partitionResponses: PartitionAnswer[] }[] = [];
  for (const { name, parts } of read) {
    const partitionResponses: PartitionAnswer[] = [];
    for (const part of parts) {
      partitionResponses.push('arrivals' in part ? yield* finish(part, services) : part);
    }
    responses.push({ name, partitionResponses });
  }
  if (acks !== 0) return { responses };
  // Without an answer, a closed connection is how the broker tells that something went wrong.
  const hasFailed = responses.some(({ partitionResponses }) =>
    partitionResponses.some(({ errorCode }) => errorCode !== ERROR.NONE),
  );
  if (hasFailed) call.connection.end();
  return undefined;
}

function* receive(
  topic: string,
  { index, records: bytes }: { readonly index: number; readonly records: Buffer | null },
  { acks, transactionalId }: { readonly acks: number; readonly transactionalId: string | null },
  call: Call,
  services: Services,
  waits: Promise<void>[],
): Generator<undefined, Part> {
  const refuse = (errorCode: number, errorMessage: string | null = null): PartitionAnswer => ({
    index,
    errorCode,
    errorMessage,
  });
  if (acks < -1 || acks > 1) return refuse(ERROR.INVALID_REQUIRED_ACKS);
  if (transactionalId !== null && !call.may('write', 'transactional_id', transactionalId)) {
    return refuse(ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
  }
  if (!call.may('write', 'topic', topic)) return refuse(ERROR.TOPIC_AUTHORIZATION_FAILED);
  const found = services.broker.find(topic);
  const log = found?.partitions[index];
  if (found === undefined || log === undefined) return refuse(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
  const checked = yield* checkBatch(bytes);
  if ('errorCode' in checked) return refuse(checked.errorCode, checked.errorMessage);
  const { batch, records } = checked;
  const errorCode = services.transactions.check(batch, transactionalId, found, index);
  if (errorCode !== ERROR.NONE) return refuse(errorCode);
  const sequencing = log.producers.check(batch);
  if (sequencing !== 'new') return answerSequence(index, sequencing);
  const { remote } = call.connection;
  const arrivals: Arrival[] = [];
  const views: (WireRecord | DecodedRecord)[] = [];
  for (const record of records) {
    const view = viewRecord(record, services.registry);
    views.push(view);
    arrivals.push(arrive(new KafkaMessage(topic, index, view, remote), services, waits));
    if (view !== record || arrivals.length % AT_ONCE === 0) yield;
  }
  return { topic, index, transactionalId, batch, records, views, arrivals };
}

function arrive(message: KafkaMessage, { context }: Services, waits: Promise<void>[]): Arrival {
  const exchange = context.receive(message);
  const outcome = exchange.resolve();
  if (!(outcome instanceof Promise)) return { exchange, outcome };
  const arrival: Arrival = { exchange, outcome: undefined };
  waits.push(
    outcome.then((late) => {
      arrival.outcome = late;
    }),
  );
  return arrival;
}

function answerSequence(
  index: number,
  sequencing: { readonly error: number } | { readonly storedAt: number },
): PartitionAnswer {
  return 'error' in sequencing
    ? { index, errorCode: sequencing.error }
    : { index, errorCode: ERROR.NONE, baseOffset: sequencing.storedAt };
}

/** Stores a batch, or refuses it when a record met a fault, and ends the exchanges of its records. */
function* finish(pending: Pending, services: Services): Generator<undefined, PartitionAnswer> {
  const { topic, index, batch, arrivals } = pending;
  const refuse = (errorCode: number): PartitionAnswer => {
    const reply = { status: nameOfError(errorCode) };
    for (const { exchange } of arrivals) exchange.done(reply);
    return { index, errorCode };
  };
  const [first] = arrivals;
  for (const { outcome } of arrivals) {
    if (outcome?.type === 'fault') {
      return refuse(parseErrorCode(outcome.fault.error_code ?? ERROR.LEADER_NOT_AVAILABLE));
    }
    // The client is gone: nothing is stored, and nobody reads the answer.
    if (outcome?.type === 'aborted') return { index, errorCode: ERROR.NETWORK_EXCEPTION };
  }
  const found = services.broker.find(topic);
  const log = found?.partitions[index];
  if (found === undefined || log === undefined) return refuse(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
  if (first?.exchange.isCurrent === false) {
    // From before a reset: its client gets an answer, and nothing is recorded.
    for (const { exchange } of arrivals) exchange.done();
    return { index, errorCode: ERROR.NONE, baseOffset: log.endOffset };
  }
  // While it was delayed the transaction may have ended.
  const errorCode = services.transactions.check(batch, pending.transactionalId, found, index);
  if (errorCode !== ERROR.NONE) return refuse(errorCode);
  // While it was delayed the same batch may have come over another connection.
  const sequencing = log.producers.check(batch);
  if (sequencing !== 'new') {
    for (const { exchange } of arrivals) exchange.done(STORED);
    return answerSequence(index, sequencing);
  }
  return yield* store(pending, log, services);
}

function* store(
  { topic, index, batch, records, views, arrivals }: Pending,
  log: PartitionLog,
  services: Services,
): Generator<undefined, PartitionAnswer> {
  const { broker, context, transactions } = services;
  const { captures, clock } = context;
  const baseOffset = broker.append(log, batch);
  const logStartOffset = log.startOffset;
  const takenAt = clock.now();
  const newId = idsOf(context);
  const mark = transactions.markOf(batch);
  const within = transactions.openOf(batch);
  for (const [place, record] of records.entries()) {
    const arrival = arrivals[place];
    if (arrival === undefined) continue;
    const { exchange, outcome } = arrival;
    const view = views[place] ?? record;
    const captured = new CapturedRecord(topic, index, baseOffset + place, view, takenAt, newId, mark);
    captures.add(captured, view.size + topic.length, exchange);
    const received = record.value ?? undefined;
    exchange.done(outcome?.type === 'matched' ? respond(outcome, services, received, within) : STORED);
    if (place % AT_ONCE === AT_ONCE - 1) yield;
  }
  return { index, errorCode: ERROR.NONE, baseOffset, logStartOffset };
}

/** Produces a mock's response, which is a part of the transaction that the record is a part of. It is no message of a client: no mock is asked about it. */
function respond(
  match: MatchOf<KafkaShape>,
  { broker, context, registry }: Services,
  received: Uint8Array | string | undefined,
  within: OpenTransaction | undefined,
): Reply {
  try {
    const { response } = match.mock.compiled;
    if (response === undefined) return STORED;
    const { topic, content, partition } = response;
    const name = typeof topic === 'string' ? topic : match.render(topic);
    const rendered = renderContent(content, (template) => match.render(template), received);
    const record = encodeContent(content, rendered, registry);
    const refusal = broker.publish(name, record, partition, within);
    if (refusal !== undefined) {
      context.log.warn(`the response of mock "${match.mock.id}" was not produced: ${refusal.message}`);
      return { status: nameOfError(refusal.error) };
    }
    return rendered.value === null ? STORED : { status: 'NONE', body: rendered.value };
  } catch (thrown) {
    context.log.error(`the response of mock "${match.mock.id}" could not be made`, thrown);
    return { status: nameOfError(ERROR.UNKNOWN_SERVER_ERROR) };
  }
}

/** Apart from the request: captured records hold on to this function, and would hold on to all that came with them. */
function idsOf(context: Services['context']): () => string {
  return () => context.newId();
}
