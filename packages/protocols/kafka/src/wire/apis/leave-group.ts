import { defineApi } from '../api.js';
import { array, int16, int32, nullableString, string } from '../fields.js';

/**
 * LeaveGroup: one member leaves, or from version 3 on several.
 *
 * Kafka protocol guide: LeaveGroup, key 13; KIP-345.
 */
export const leaveGroup = defineApi({
  key: 13,
  name: 'LeaveGroup',
  min: 0,
  max: 5,
  flexible: 4,
  request: {
    groupId: string(),
    memberId: string({ until: 2 }),
    members: array(
      { memberId: string(), groupInstanceId: nullableString(), reason: nullableString({ since: 5 }) },
      { since: 3 },
    ),
  },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16(),
    members: array(
      { memberId: string(), groupInstanceId: nullableString(), errorCode: int16() },
      { since: 3 },
    ),
  },
});
