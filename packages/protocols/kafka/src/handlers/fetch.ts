import type { PartitionLog } from '../broker/partition-log.js';
import type { Topic } from '../broker/topic.js';
import type { RequestOf, ResponseOf } from '../wire/api.js';
import type { fetch } from '../wire/apis/fetch.js';
import { ERROR } from '../wire/errors.js';
import type { Call, Handler, Services } from './call.js';

/** The most that one answer holds, beside its first batch. */
const MAX_ANSWER = 16 * 1024 * 1024;

type Request = RequestOf<typeof fetch>;
type Response = ResponseOf<typeof fetch>;
type AskedTopic = Request['topics'][number];
type AskedPartition = AskedTopic['partitions'][number];

interface Gathering {
  left: number;
  isEmpty: boolean;
}

/** Gives what there is, or waits until there is enough of it or the time is over. */
export const handleFetch: Handler<typeof fetch> = (request, call, services) => {
  if (request.sessionId !== 0) return { errorCode: ERROR.FETCH_SESSION_ID_NOT_FOUND };
  if (request.maxWaitMs <= 0 || isReady(request, call, services)) return gather(request, call, services);
  return waitForMore(request, call, services);
};

function waitForMore(request: Request, call: Call, services: Services): Promise<Response> {
  return new Promise((resolve) => {
    const logs = new Set<PartitionLog>();
    for (const asked of request.topics) {
      const topic = findTopic(asked, call, services);
      for (const { partition } of asked.partitions) {
        const log = topic?.partitions[partition];
        if (log !== undefined) logs.add(log);
      }
    }
    const endings: (() => void)[] = [];
    const stopWaiting = (): void => {
      for (const end of endings.splice(0)) end();
    };
    const finish = (): void => {
      stopWaiting();
      resolve(gather(request, call, services));
    };
    const look = (): void => {
      if (isReady(request, call, services)) finish();
    };
    for (const log of logs) endings.push(log.onAppend(look));
    const timer = call.connection.after(request.maxWaitMs, finish);
    endings.push(() => timer.cancel());
    call.onLeave(stopWaiting);
  });
}

/** Whether there is an error to tell, or as much to read as was asked for. */
function isReady(request: Request, call: Call, services: Services): boolean {
  const { minBytes } = request;
  let readable = 0;
  for (const asked of request.topics) {
    const topic = findTopic(asked, call, services);
    for (const partition of asked.partitions) {
      const log = topic?.partitions[partition.partition];
      if (log === undefined || errorOf(log, partition) !== ERROR.NONE) return true;
      readable += log.readable(partition.fetchOffset, minBytes - readable);
      if (readable >= minBytes) return true;
    }
  }
  return readable >= minBytes;
}

function gather(request: Request, call: Call, services: Services): Response {
  const gathering: Gathering = { left: Math.min(request.maxBytes, MAX_ANSWER), isEmpty: true };
  return {
    responses: request.topics.map((asked) => {
      const topic = findTopic(asked, call, services);
      return {
        topic: asked.topic,
        topicId: asked.topicId,
        partitions: asked.partitions.map((partition) => readPartition(topic, partition, call, gathering)),
      };
    }),
  };
}

function readPartition(topic: Topic | undefined, asked: AskedPartition, call: Call, gathering: Gathering) {
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
    lastStableOffset: endOffset,
    logStartOffset: startOffset,
  };
  const errorCode = errorOf(log, asked);
  if (errorCode !== ERROR.NONE) return { ...state, errorCode, records: [] };
  // The first batch is given even when it is larger than was asked for, so that no reader is stuck before it.
  const most = Math.min(asked.partitionMaxBytes, gathering.left);
  const records = log.read(asked.fetchOffset, most, gathering.isEmpty);
  for (const batch of records) gathering.left -= batch.length;
  if (records.length > 0) gathering.isEmpty = false;
  return { ...state, errorCode, records };
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
