import { defineApi } from '../api.js';
import { array, int16, int32, string } from '../fields.js';

/** OffsetDelete: drops offsets that a group has committed (Kafka protocol guide: OffsetDelete, key 47; KIP-496). */
export const offsetDelete = defineApi({
  key: 47,
  name: 'OffsetDelete',
  min: 0,
  max: 0,
  flexible: 1,
  request: {
    groupId: string(),
    topics: array({ name: string(), partitions: array({ partitionIndex: int32() }) }),
  },
  response: {
    errorCode: int16(),
    throttleTimeMs: int32(),
    topics: array({ name: string(), partitions: array({ partitionIndex: int32(), errorCode: int16() }) }),
  },
});
