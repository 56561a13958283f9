import { defineApi } from '../api.js';
import {
  array,
  bool,
  int16,
  int32,
  int8,
  listOf,
  nullableArray,
  nullableString,
  string,
  uuid,
} from '../fields.js';

/** CreateTopics (Kafka protocol guide: CreateTopics, key 19; KIP-4). */
export const createTopics = defineApi({
  key: 19,
  name: 'CreateTopics',
  min: 0,
  max: 7,
  flexible: 5,
  request: {
    topics: array({
      name: string(),
      numPartitions: int32(),
      replicationFactor: int16(),
      assignments: array({ partitionIndex: int32(), brokerIds: listOf(int32()) }),
      configs: array({ name: string(), value: nullableString() }),
    }),
    timeoutMs: int32(),
    validateOnly: bool({ since: 1 }),
  },
  response: {
    throttleTimeMs: int32({ since: 2 }),
    topics: array({
      name: string(),
      topicId: uuid({ since: 7 }),
      errorCode: int16(),
      errorMessage: nullableString({ since: 1 }),
      numPartitions: int32({ since: 5, fallback: -1 }),
      replicationFactor: int16({ since: 5, fallback: -1 }),
      configs: nullableArray(
        {
          name: string(),
          value: nullableString(),
          readOnly: bool(),
          configSource: int8({ fallback: -1 }),
          isSensitive: bool(),
        },
        { since: 5 },
      ),
    }),
  },
});
