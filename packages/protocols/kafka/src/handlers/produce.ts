import type { RequestOf, ResponseOf } from '../wire/api.js';
import type { produce } from '../wire/apis/produce.js';
import { isZstd, mayBeLarge } from '../wire/batch.js';
import { ERROR } from '../wire/errors.js';
import { loadZstd } from '../wire/zstd.js';
import { answerSequence, ArrivedBatch, type PartitionAnswer } from './arrived-batch.js';
import type { Call, Handler, Services } from './call.js';
import { checkBatch, checkBatchInSteps, type Checked } from './check-batch.js';

type Request = RequestOf<typeof produce>;
type Response = ResponseOf<typeof produce>;
type Answer = Response | undefined | Promise<Response | undefined>;
/** The batch for one partition, or what is answered without reading it. */
type Part = PartitionAnswer | ArrivedBatch;
type Read = readonly { readonly name: string; readonly parts: readonly Part[] }[];
interface Partition {
  readonly index: number;
  readonly records: Buffer | null;
}

/** Batches in one request that are handled without a step in between, and records that are handled in one step. */
const FEW = 16;
const AT_ONCE = 32;

/** Stores batches and lets mocks answer their records. A record that meets a fault has its whole batch refused. */
export const handleProduce: Handler<typeof produce> = (request, call, services) => {
  const loading = hasZstd(request) ? loadZstd() : undefined;
  if (loading === undefined) {
    // Values that are decoded may take long, each.
    return services.registry !== undefined || isLarge(request)
      ? produceInSteps(request, call, services)
      : produceAtOnce(request, call, services);
  }
  call.holdStop();
  return loading.then(
    () =>
      new Promise((resolve) => {
        services.jobs.add(resolving(produceInSteps(request, call, services), resolve));
      }),
  );
};

function hasZstd({ topicData }: Request): boolean {
  for (const { partitionData } of topicData) {
    for (const { records } of partitionData) if (records !== null && isZstd(records)) return true;
  }
  return false;
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

function produceAtOnce(request: Request, call: Call, services: Services): Answer {
  const waits: Promise<void>[] = [];
  const read = request.topicData.map(({ name, partitionData }) => {
    const parts = partitionData.map((partition) => {
      const part =
        refusalOf(name, partition, request, call, services) ??
        arrivedOf(name, partition.index, checkBatch(partition.records), request, services);
      if (part instanceof ArrivedBatch) part.receive(Infinity, call.connection.remote, waits);
      return part;
    });
    return { name, parts };
  });
  if (waits.length > 0) return waitFor(waits, read, request, call, services);
  const responses = read.map(({ name, parts }) => ({
    name,
    partitionResponses: parts.map((part) =>
      part instanceof ArrivedBatch ? (part.settle() ?? (part.store(Infinity) as PartitionAnswer)) : part,
    ),
  }));
  return answerOf(responses, request, call);
}

function* produceInSteps(request: Request, call: Call, services: Services): Generator<undefined, Answer> {
  const waits: Promise<void>[] = [];
  const read: { name: string; parts: Part[] }[] = [];
  for (const { name, partitionData } of request.topicData) {
    const parts: Part[] = [];
    for (const partition of partitionData) {
      const refusal = refusalOf(name, partition, request, call, services);
      const part =
        refusal === undefined
          ? arrivedOf(name, partition.index, yield* checkBatchInSteps(partition.records), request, services)
          : refusal;
      parts.push(part);
      if (!(part instanceof ArrivedBatch)) continue;
      const most = services.registry === undefined ? AT_ONCE : 1;
      while (!part.receive(most, call.connection.remote, waits)) yield;
    }
    read.push({ name, parts });
  }
  if (waits.length > 0) return waitFor(waits, read, request, call, services);
  return yield* answerInSteps(read, request, call);
}

/** Answers once all records have met what they wait for. */
function waitFor(
  waits: readonly Promise<void>[],
  read: Read,
  request: Request,
  call: Call,
  services: Services,
): Promise<Response | undefined> {
  const batches = read.flatMap(({ parts }) => parts).filter((part) => part instanceof ArrivedBatch);
  call.holdStop();
  call.onLeave(() => {
    for (const batch of batches) batch.abort();
  });
  return Promise.all(waits).then(
    () =>
      new Promise((resolve) => {
        services.jobs.add(resolving(answerInSteps(read, request, call), resolve));
      }),
  );
}

function* resolving<T>(steps: Generator<undefined, T>, resolve: (value: T) => void): Generator {
  resolve(yield* steps);
}

function* answerInSteps(
  read: Read,
  request: Request,
  call: Call,
): Generator<undefined, Response | undefined> {
  const responses: { name: string; partitionResponses: PartitionAnswer[] }[] = [];
  for (const { name, parts } of read) {
    const partitionResponses: PartitionAnswer[] = [];
    for (const part of parts) {
      partitionResponses.push(part instanceof ArrivedBatch ? yield* finishInSteps(part) : part);
    }
    responses.push({ name, partitionResponses });
  }
  return answerOf(responses, request, call);
}

function* finishInSteps(batch: ArrivedBatch): Generator<undefined, PartitionAnswer> {
  let answer = batch.settle();
  while (answer === undefined) {
    answer = batch.store(AT_ONCE);
    if (answer === undefined) yield;
  }
  return answer;
}

function answerOf(
  responses: readonly { readonly name: string; readonly partitionResponses: readonly PartitionAnswer[] }[],
  { acks }: Request,
  { connection }: Call,
): Response | undefined {
  if (acks !== 0) return { responses };
  // Without an answer, a closed connection is how the broker tells that something went wrong.
  const hasFailed = responses.some(({ partitionResponses }) =>
    partitionResponses.some(({ errorCode }) => errorCode !== ERROR.NONE),
  );
  if (hasFailed) connection.end();
  return undefined;
}

/** Why nothing of what is for one partition is read; `undefined` when it is. */
function refusalOf(
  topic: string,
  { index }: Partition,
  { acks, transactionalId }: Request,
  call: Call,
  { broker }: Services,
): PartitionAnswer | undefined {
  if (acks < -1 || acks > 1) return { index, errorCode: ERROR.INVALID_REQUIRED_ACKS };
  if (transactionalId !== null && !call.may('write', 'transactional_id', transactionalId)) {
    return { index, errorCode: ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED };
  }
  if (!call.may('write', 'topic', topic)) return { index, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
  return broker.find(topic)?.partitions[index] === undefined
    ? { index, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION }
    : undefined;
}

/** What was read for one partition, or why it is refused. */
function arrivedOf(
  topic: string,
  index: number,
  checked: Checked,
  { transactionalId }: Request,
  services: Services,
): Part {
  if ('errorCode' in checked) return { index, ...checked };
  const { batch, records } = checked;
  const found = services.broker.find(topic);
  const log = found?.partitions[index];
  if (found === undefined || log === undefined) {
    return { index, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION };
  }
  const errorCode = services.transactions.check(batch, transactionalId, found, index);
  if (errorCode !== ERROR.NONE) return { index, errorCode };
  const sequencing = log.producers.check(batch);
  return sequencing === 'new'
    ? new ArrivedBatch(services, topic, index, transactionalId, batch, records)
    : answerSequence(index, sequencing);
}
