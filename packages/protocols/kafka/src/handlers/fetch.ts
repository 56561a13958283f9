import type { PartitionLog } from '../broker/partition-log.js';
import type { Topic } from '../broker/topic.js';
import type { RequestOf, ResponseOf } from '../wire/api.js';
import type { fetch } from '../wire/apis/fetch.js';
import { ERROR } from '../wire/errors.js';
import type { Call, Handler, Services } from './call.js';
import { mapInSteps } from './in-steps.js';
import { standingError } from './standing-fault.js';

/** The most that one answer holds, beside its first batch. */
const MAX_ANSWER = 16 * 1024 * 1024;

/** The isolation level of those who read committed records alone. */
export const READ_COMMITTED = 1;

type Request = RequestOf<typeof fetch>;
type Response = ResponseOf<typeof fetch>;
type AskedTopic = Request['topics'][number];
type AskedPartition = AskedTopic['partitions'][number];

interface Gathering {
  left: number;
  isEmpty: boolean;
}

/** What is read of one log, and how much there is. */
interface Watched {
  readonly asked: AskedPartition;
  readable: number;
}

/** Gives what there is, or waits until there is enough of it or the time is over. */
export const handleFetch: Handler<typeof fetch> = function* (request, call, services) {
  if (request.sessionId !== 0) return { errorCode: ERROR.FETCH_SESSION_ID_NOT_FOUND };
  const topics = yield* withoutRepetitions(request.topics, call, services);
  const once: Request = { ...request, topics };
  const isFaulted = standingError(services, 'fetch_error') !== ERROR.NONE;
  const watched = request.maxWaitMs <= 0 || isFaulted ? undefined : yield* watch(once, call, services);
  if (watched === undefined) return yield* gather(once, call, services);
  return waitForMore(once, watched, call, services);
};

/** As in Kafka, of a partition that is named more than once the last one counts. */
function* withoutRepetitions(
  topics: Request['topics'],
  call: Call,
  services: Services,
): Generator<undefined, Request['topics']> {
  const count = topics.reduce((sum, { partitions }) => sum + partitions.length, 0);
  if (count <= 1) return topics;
  const byLog = new Map<PartitionLog, AskedPartition>();
  for (const asked of topics) {
    const topic = findTopic(asked, call, services);
    yield* mapInSteps(asked.partitions, (partition) => {
      const log = topic?.partitions[partition.partition];
      if (log !== undefined) byLog.set(log, partition);
    });
  }
  return yield* mapInSteps(topics, function* (asked) {
    const topic = findTopic(asked, call, services);
    const partitions = yield* mapInSteps(asked.partitions, (partition) => {
      const log = topic?.partitions[partition.partition];
      return log === undefined || byLog.get(log) === partition ? [partition] : [];
    });
    return { ...asked, partitions: partitions.flat() };
  });
}

function waitForMore(
  request: Request,
  watched: ReadonlyMap<PartitionLog, Watched>,
  call: Call,
  services: Services,
): Promise<Response> {
  return new Promise((resolve) => {
    let readable = 0;
    for (const each of watched.values()) readable += each.readable;
    const endings: (() => void)[] = [];
    const stopWaiting = (): void => {
      for (const end of endings.splice(0)) end();
    };
    const finish = (): void => {
      stopWaiting();
      services.jobs.add(resolving(gather(request, call, services), resolve));
    };
    for (const [log, each] of watched) {
      // Only this log has changed: the others are as they were.
      const look = (): void => {
        const isWrong = log.isGone || errorOf(log, each.asked) !== ERROR.NONE;
        const now = isWrong ? 0 : log.readable(each.asked.fetchOffset, endFor(log, request));
        readable += now - each.readable;
        each.readable = now;
        if (isWrong || readable >= request.minBytes) finish();
      };
      endings.push(log.onAppend(look));
    }
    const timer = call.connection.after(request.maxWaitMs, finish);
    endings.push(() => timer.cancel());
    call.onLeave(stopWaiting);
  });
}

function* resolving<T>(steps: Generator<undefined, T>, resolve: (value: T) => void): Generator {
  resolve(yield* steps);
}

/** The logs to wait for; `undefined` when there is an error to tell, or as much to read as was asked for. */
function* watch(
  request: Request,
  call: Call,
  services: Services,
): Generator<undefined, Map<PartitionLog, Watched> | undefined> {
  const watched = new Map<PartitionLog, Watched>();
  let readable = 0;
  let isWrong = false;
  for (const asked of request.topics) {
    const topic = findTopic(asked, call, services);
    if (topic !== undefined && !call.may('read', 'topic', topic.name)) return undefined;
    yield* mapInSteps(asked.partitions, (partition) => {
      const log = topic?.partitions[partition.partition];
      if (log === undefined || errorOf(log, partition) !== ERROR.NONE) isWrong = true;
      else {
        const there = log.readable(partition.fetchOffset, endFor(log, request));
        watched.set(log, { asked: partition, readable: there });
        readable += there;
      }
    });
    if (isWrong) return undefined;
  }
  return readable >= request.minBytes ? undefined : watched;
}

function* gather(request: Request, call: Call, services: Services): Generator<undefined, Response> {
  const fault = standingError(services, 'fetch_error');
  const gathering: Gathering = { left: Math.min(request.maxBytes, MAX_ANSWER), isEmpty: true };
  return {
    responses: yield* mapInSteps(request.topics, function* (asked) {
      const topic = findTopic(asked, call, services);
      const isRefused = !call.may('read', 'topic', topic?.name ?? asked.topic);
      return {
        topic: asked.topic,
        topicId: asked.topicId,
        partitions: yield* mapInSteps(asked.partitions, (partition) =>
          isRefused
            ? {
                partitionIndex: partition.partition,
                errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED,
                records: [],
              }
            : readPartition(topic, partition, request, call, gathering, fault),
        ),
      };
    }),
  };
}

function readPartition(
  topic: Topic | undefined,
  asked: AskedPartition,
  request: Request,
  call: Call,
  gathering: Gathering,
  fault: number,
) {
  const log = topic?.partitions[asked.partition];
  const partitionIndex = asked.partition;
  if (log === undefined) {
    const isUnknownId = topic === undefined && call.version >= 13;
    const errorCode = isUnknownId ? ERROR.UNKNOWN_TOPIC_ID : ERROR.UNKNOWN_TOPIC_OR_PARTITION;
    return { partitionIndex, errorCode, records: [] };
  }
  const { endOffset, startOffset } = log;
  const state = {
    partitionIndex,
    highWatermark: endOffset,
    lastStableOffset: log.lastStableOffset,
    logStartOffset: startOffset,
  };
  const errorCode = fault === ERROR.NONE ? errorOf(log, asked) : fault;
  if (errorCode !== ERROR.NONE) return { ...state, errorCode, records: [] };
  // The first batch is given even when it is larger than was asked for, so that no reader is stuck before it.
  const most = Math.min(asked.partitionMaxBytes, gathering.left);
  const { bytes: records, nextOffset } = log.read(
    asked.fetchOffset,
    most,
    gathering.isEmpty,
    endFor(log, request),
  );
  for (const batch of records) gathering.left -= batch.length;
  if (records.length > 0) gathering.isEmpty = false;
  // Who reads everything is not told which transactions were aborted.
  const abortedTransactions =
    request.isolationLevel === READ_COMMITTED ? log.abortedBetween(asked.fetchOffset, nextOffset) : null;
  return { ...state, errorCode, abortedTransactions, records };
}

/** The offset before which reading ends: who reads what is committed waits for open transactions. */
function endFor(log: PartitionLog, { isolationLevel }: Request): number {
  return isolationLevel === READ_COMMITTED ? log.lastStableOffset : log.endOffset;
}

function errorOf(log: PartitionLog, { fetchOffset, currentLeaderEpoch }: AskedPartition): number {
  if (currentLeaderEpoch > 0) return ERROR.UNKNOWN_LEADER_EPOCH;
  return fetchOffset < log.startOffset || fetchOffset > log.endOffset
    ? ERROR.OFFSET_OUT_OF_RANGE
    : ERROR.NONE;
}

function findTopic(asked: AskedTopic, { version }: Call, { broker }: Services): Topic | undefined {
  return version >= 13 ? broker.findById(asked.topicId) : broker.find(asked.topic);
}
