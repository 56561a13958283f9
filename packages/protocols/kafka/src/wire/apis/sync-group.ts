import { defineApi } from '../api.js';
import { array, bytes, int16, int32, nullableString, string } from '../fields.js';

/**
 * SyncGroup: the leader hands out the work, the others wait for theirs.
 *
 * Kafka protocol guide: SyncGroup, key 14.
 */
export const syncGroup = defineApi({
  key: 14,
  name: 'SyncGroup',
  min: 0,
  max: 5,
  flexible: 4,
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: nullableString({ since: 3 }),
    protocolType: nullableString({ since: 5 }),
    protocolName: nullableString({ since: 5 }),
    assignments: array({ memberId: string(), assignment: bytes() }),
  },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16(),
    protocolType: nullableString({ since: 5 }),
    protocolName: nullableString({ since: 5 }),
    assignment: bytes(),
  },
});
