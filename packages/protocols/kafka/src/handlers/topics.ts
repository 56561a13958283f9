import { Topic } from '../broker/topic.js';
import type { Refusal } from '../broker/broker.js';
import { problemOfConfig, problemOfName, TOPIC_CONFIGS } from '../broker/configs.js';
import type { RequestOf } from '../wire/api.js';
import type { createPartitions } from '../wire/apis/create-partitions.js';
import type { createTopics } from '../wire/apis/create-topics.js';
import type { deleteTopics } from '../wire/apis/delete-topics.js';
import { ERROR } from '../wire/errors.js';
import { NO_UUID } from '../wire/fields.js';
import { NODE_ID, type Handler, type Services } from './call.js';
import { mapInSteps } from './in-steps.js';
import { mayMake } from './rights.js';

type WantedTopic = RequestOf<typeof createTopics>['topics'][number];

const DEFAULT_SOURCE = 5;
const TOPIC_SOURCE = 1;
const DEFAULT_CONFIGS = TOPIC_CONFIGS.map(({ name, value }) => ({
  name,
  value,
  configSource: DEFAULT_SOURCE,
}));

export const handleCreateTopics: Handler<typeof createTopics> = function* (request, call, services) {
  const counts = new Map<string, number>();
  for (const { name } of request.topics) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    topics: yield* mapInSteps(request.topics, (wanted) => {
      const { name } = wanted;
      if (!mayMake(name, call)) {
        return { name, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED, errorMessage: 'Authorization failed.' };
      }
      const isTwice = (counts.get(wanted.name) ?? 0) > 1;
      const made = isTwice
        ? { error: ERROR.INVALID_REQUEST, message: `Topic '${wanted.name}' is in the request twice.` }
        : create(wanted, request.validateOnly, services);
      if ('error' in made) return { name, errorCode: made.error, errorMessage: made.message };
      return {
        name,
        topicId: made.id,
        numPartitions: made.partitions,
        replicationFactor: 1,
        configs: configsOf(wanted),
      };
    }),
  };
};

function create(
  wanted: WantedTopic,
  isOnlyChecked: boolean,
  { broker, context }: Services,
): Refusal | { readonly id: string; readonly partitions: number } {
  const { name, numPartitions, assignments, configs } = wanted;
  const refusal = refusalOf(wanted);
  if (refusal !== undefined) return refusal;
  const configured = context.config.topics?.find((topic) => topic.name === name)?.partitions ?? 1;
  const partitions =
    assignments.length > 0 ? assignments.length : numPartitions === -1 ? configured : numPartitions;
  if (isOnlyChecked) return broker.refusalOf(name, partitions) ?? { id: NO_UUID, partitions };
  const topic = broker.create(
    name,
    partitions,
    configs.map((config) => [config.name, config.value] as const),
  );
  return topic instanceof Topic ? { id: topic.id, partitions: topic.partitions.length } : topic;
}

function refusalOf({
  numPartitions,
  replicationFactor,
  assignments,
  configs,
}: WantedTopic): Refusal | undefined {
  if (assignments.length === 0) {
    if (replicationFactor === 1 || replicationFactor === -1) return refusalOfConfigs(configs);
    return {
      error: ERROR.INVALID_REPLICATION_FACTOR,
      message: `Replication factor ${replicationFactor} does not fit 1 broker; use 1 or -1.`,
    };
  }
  if (numPartitions !== -1 || replicationFactor !== -1) {
    return {
      error: ERROR.INVALID_REQUEST,
      message: 'Both numPartitions or replicationFactor and replicasAssignments were set.',
    };
  }
  const isGood = assignments.every(
    ({ partitionIndex, brokerIds }, index) =>
      partitionIndex === index && brokerIds.length === 1 && brokerIds[0] === NODE_ID,
  );
  if (isGood) return refusalOfConfigs(configs);
  return {
    error: ERROR.INVALID_REPLICA_ASSIGNMENT,
    message: `Partitions must be numbered from 0, each on broker ${NODE_ID} alone.`,
  };
}

function refusalOfConfigs(configs: WantedTopic['configs']): Refusal | undefined {
  for (const { name, value } of configs) {
    const message = value === null ? problemOfName(name) : problemOfConfig(name, value);
    if (message !== undefined) return { error: ERROR.INVALID_CONFIG, message };
  }
  return undefined;
}

function configsOf({ configs }: WantedTopic) {
  if (configs.length === 0) return DEFAULT_CONFIGS;
  const byName = new Map(configs.toReversed().map((config) => [config.name, config]));
  return TOPIC_CONFIGS.map(({ name, value }) => {
    const given = byName.get(name);
    return given === undefined
      ? { name, value, configSource: DEFAULT_SOURCE }
      : { name, value: given.value, configSource: TOPIC_SOURCE };
  });
}

export const handleDeleteTopics: Handler<typeof deleteTopics> = function* (request, call, { broker }) {
  const wanted =
    call.version >= 6 ? request.topics : request.topicNames.map((name) => ({ name, topicId: NO_UUID }));
  return {
    responses: yield* mapInSteps(wanted, ({ name, topicId }) => {
      const topic = name === null ? broker.findById(topicId) : broker.find(name);
      const wantedName = name ?? topic?.name;
      if (wantedName !== undefined && !call.may('delete', 'topic', wantedName)) {
        return { name, topicId, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
      }
      if (topic === undefined) {
        const errorCode = name === null ? ERROR.UNKNOWN_TOPIC_ID : ERROR.UNKNOWN_TOPIC_OR_PARTITION;
        return { name, topicId, errorCode };
      }
      broker.delete(topic);
      return { name: topic.name, topicId: topic.id };
    }),
  };
};

export const handleCreatePartitions: Handler<typeof createPartitions> = function* (
  request,
  call,
  { broker },
) {
  return {
    results: yield* mapInSteps(request.topics, ({ name, count, assignments }) => {
      if (!call.may('alter', 'topic', name)) return { name, errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED };
      const topic = broker.find(name);
      if (topic === undefined) return { name, errorCode: ERROR.UNKNOWN_TOPIC_OR_PARTITION };
      const more = count - topic.partitions.length;
      const isBadlyAssigned =
        // Some clients send an empty list for none.
        (assignments?.length ?? 0) > 0 &&
        (assignments?.length !== more ||
          assignments.some(({ brokerIds }) => brokerIds.length !== 1 || brokerIds[0] !== NODE_ID));
      if (isBadlyAssigned) {
        const errorMessage = `Each of the ${more} new partitions must be on broker ${NODE_ID} alone.`;
        return { name, errorCode: ERROR.INVALID_REPLICA_ASSIGNMENT, errorMessage };
      }
      const refusal = request.validateOnly ? broker.refusalToGrow(topic, count) : broker.grow(topic, count);
      return { name, errorCode: refusal?.error ?? ERROR.NONE, errorMessage: refusal?.message ?? null };
    }),
  };
};
