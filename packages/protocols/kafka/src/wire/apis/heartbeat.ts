import { defineApi } from '../api.js';
import { int16, int32, nullableString, string } from '../fields.js';

/** Heartbeat: a member is still there (Kafka protocol guide: Heartbeat, key 12). */
export const heartbeat = defineApi({
  key: 12,
  name: 'Heartbeat',
  min: 0,
  max: 4,
  flexible: 4,
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: nullableString({ since: 3 }),
  },
  response: { throttleTimeMs: int32({ since: 1 }), errorCode: int16() },
});
