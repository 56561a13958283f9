import { defineApi } from '../api.js';
import { array, bool, int16, int32, listOf, nullableArray, nullableString, string, uuid } from '../fields.js';

const NO_OPERATIONS = -2147483648;

/** Metadata: brokers, topics and their partitions (Kafka protocol guide: Metadata, key 3). */
export const metadata = defineApi({
  key: 3,
  name: 'Metadata',
  min: 0,
  max: 12,
  flexible: 9,
  request: {
    topics: nullableArray(
      { topicId: uuid({ since: 10 }), name: nullableString({ nullable: 10 }) },
      { nullable: 1 },
    ),
    allowAutoTopicCreation: bool({ since: 4, fallback: true }),
    includeClusterAuthorizedOperations: bool({ since: 8, until: 10 }),
    includeTopicAuthorizedOperations: bool({ since: 8 }),
  },
  response: {
    throttleTimeMs: int32({ since: 3 }),
    brokers: array({
      nodeId: int32(),
      host: string(),
      port: int32(),
      rack: nullableString({ since: 1 }),
    }),
    clusterId: nullableString({ since: 2 }),
    controllerId: int32({ since: 1, fallback: -1 }),
    topics: array({
      errorCode: int16(),
      name: nullableString({ nullable: 12 }),
      topicId: uuid({ since: 10 }),
      isInternal: bool({ since: 1 }),
      partitions: array({
        errorCode: int16(),
        partitionIndex: int32(),
        leaderId: int32(),
        leaderEpoch: int32({ since: 7, fallback: -1 }),
        replicaNodes: listOf(int32()),
        isrNodes: listOf(int32()),
        offlineReplicas: listOf(int32(), { since: 5 }),
      }),
      topicAuthorizedOperations: int32({ since: 8, fallback: NO_OPERATIONS }),
    }),
    clusterAuthorizedOperations: int32({ since: 8, until: 10, fallback: NO_OPERATIONS }),
  },
});
