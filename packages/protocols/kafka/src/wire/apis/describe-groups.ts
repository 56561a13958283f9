import { defineApi } from '../api.js';
import { array, bool, bytes, int16, int32, listOf, nullableString, string } from '../fields.js';

/** DescribeGroups: state and members of groups (Kafka protocol guide: DescribeGroups, key 15). */
export const describeGroups = defineApi({
  key: 15,
  name: 'DescribeGroups',
  min: 0,
  max: 5,
  flexible: 5,
  request: { groups: listOf(string()), includeAuthorizedOperations: bool({ since: 3 }) },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    groups: array({
      errorCode: int16(),
      groupId: string(),
      groupState: string(),
      protocolType: string(),
      protocolData: string(),
      members: array({
        memberId: string(),
        groupInstanceId: nullableString({ since: 4 }),
        clientId: string(),
        clientHost: string(),
        memberMetadata: bytes(),
        memberAssignment: bytes(),
      }),
      authorizedOperations: int32({ since: 3, fallback: -2147483648 }),
    }),
  },
});
