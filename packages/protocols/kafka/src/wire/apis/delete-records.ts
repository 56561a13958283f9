import { defineApi } from '../api.js';
import { array, int16, int32, int64, string } from '../fields.js';

/** DeleteRecords: drops records below an offset (Kafka protocol guide: DeleteRecords, key 21; KIP-107). */
export const deleteRecords = defineApi({
  key: 21,
  name: 'DeleteRecords',
  min: 0,
  max: 2,
  flexible: 2,
  request: {
    topics: array({
      name: string(),
      partitions: array({ partitionIndex: int32(), offset: int64() }),
    }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32(),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        lowWatermark: int64({ fallback: -1 }),
        errorCode: int16(),
      }),
    }),
  },
});
