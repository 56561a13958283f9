import { defineApi } from '../api.js';
import { array, bool, bytes, int16, int32, nullableString, string } from '../fields.js';

/**
 * JoinGroup: enters a group; answered when all its members have.
 *
 * Kafka protocol guide: JoinGroup, key 11; KIP-345, KIP-394.
 */
export const joinGroup = defineApi({
  key: 11,
  name: 'JoinGroup',
  min: 0,
  max: 9,
  flexible: 6,
  request: {
    groupId: string(),
    sessionTimeoutMs: int32(),
    rebalanceTimeoutMs: int32({ since: 1, fallback: -1 }),
    memberId: string(),
    groupInstanceId: nullableString({ since: 5 }),
    protocolType: string(),
    protocols: array({ name: string(), metadata: bytes() }),
    reason: nullableString({ since: 8 }),
  },
  response: {
    throttleTimeMs: int32({ since: 2 }),
    errorCode: int16(),
    generationId: int32({ fallback: -1 }),
    protocolType: nullableString({ since: 7 }),
    protocolName: nullableString({ nullable: 7 }),
    leader: string(),
    skipAssignment: bool({ since: 9 }),
    memberId: string(),
    members: array({
      memberId: string(),
      groupInstanceId: nullableString({ since: 5 }),
      metadata: bytes(),
    }),
  },
});
