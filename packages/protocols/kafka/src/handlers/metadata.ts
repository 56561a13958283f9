import { Topic } from '../broker/topic.js';
import type { RequestOf } from '../wire/api.js';
import type { describeCluster } from '../wire/apis/describe-cluster.js';
import type { findCoordinator } from '../wire/apis/find-coordinator.js';
import type { metadata } from '../wire/apis/metadata.js';
import { ERROR } from '../wire/errors.js';
import { NO_UUID } from '../wire/fields.js';
import { CLUSTER_ID, NODE_ID, type Call, type Handler, type Services } from './call.js';
import { mapInSteps } from './in-steps.js';
import { mayMake } from './rights.js';

/** Topics that are asked for by name come to be, unless the configuration or the client says otherwise. */
export const handleMetadata: Handler<typeof metadata> = function* (request, call, services) {
  return {
    brokers: [{ nodeId: NODE_ID, ...call.place }],
    clusterId: CLUSTER_ID,
    controllerId: NODE_ID,
    topics: yield* topicsOf(request, call, services),
  };
};

function* topicsOf(request: RequestOf<typeof metadata>, call: Call, services: Services) {
  const { broker, context } = services;
  // In version 0 an empty list asks for all.
  if (request.topics === null || (call.version === 0 && request.topics.length === 0)) {
    const shown = [...broker.topics].filter(({ name }) => call.may('describe', 'topic', name));
    return yield* mapInSteps(shown, describeTopic);
  }
  const mayCreate = request.allowAutoTopicCreation && context.config.auto_create_topics !== false;
  // As in Kafka, a topic that is named twice is described once.
  const wanted = new Map(request.topics.map((topic) => [`${topic.topicId}/${topic.name ?? ''}`, topic]));
  return yield* mapInSteps([...wanted.values()], ({ name, topicId }) => {
    if (name === null || (name === '' && topicId !== NO_UUID)) {
      const topic = broker.findById(topicId);
      return topic === undefined
        ? { errorCode: ERROR.UNKNOWN_TOPIC_ID, name: null, topicId }
        : call.may('describe', 'topic', topic.name)
          ? describeTopic(topic)
          : { errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED, name: null, topicId };
    }
    const there = broker.find(name);
    const isRefused =
      !call.may('describe', 'topic', name) || (there === undefined && mayCreate && !mayMake(name, call));
    if (isRefused) return { errorCode: ERROR.TOPIC_AUTHORIZATION_FAILED, name };
    const topic = there ?? (mayCreate ? broker.create(name) : undefined);
    if (topic instanceof Topic) return describeTopic(topic);
    return { errorCode: topic?.error ?? ERROR.UNKNOWN_TOPIC_OR_PARTITION, name };
  });
}

function describeTopic(topic: Topic) {
  return {
    name: topic.name,
    topicId: topic.id,
    partitions: topic.partitions.map((_log, partitionIndex) => ({
      partitionIndex,
      leaderId: NODE_ID,
      leaderEpoch: 0,
      replicaNodes: [NODE_ID],
      isrNodes: [NODE_ID],
    })),
  };
}

export const handleDescribeCluster: Handler<typeof describeCluster> = (request, call) => ({
  endpointType: request.endpointType,
  clusterId: CLUSTER_ID,
  controllerId: NODE_ID,
  brokers: [{ brokerId: NODE_ID, ...call.place }],
});

/** What a coordinator is asked for. */
const GROUP = 0;
const TRANSACTION = 1;

/** The one broker coordinates every group and every transactional id. */
export const handleFindCoordinator: Handler<typeof findCoordinator> = (request, call) => {
  if (request.keyType !== GROUP && request.keyType !== TRANSACTION) {
    const refusal = {
      errorCode: ERROR.INVALID_REQUEST,
      errorMessage: 'The type of a key is 0 (group) or 1.',
    };
    return { ...refusal, coordinators: request.coordinatorKeys.map((key) => ({ key, ...refusal })) };
  }
  const isGroup = request.keyType === GROUP;
  const coordinatorOf = (key: string): object =>
    call.may('describe', isGroup ? 'group' : 'transactional_id', key)
      ? { nodeId: NODE_ID, ...call.place }
      : {
          errorCode: isGroup ? ERROR.GROUP_AUTHORIZATION_FAILED : ERROR.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        };
  return {
    ...coordinatorOf(request.key),
    coordinators: request.coordinatorKeys.map((key) => ({ key, ...coordinatorOf(key) })),
  };
};
