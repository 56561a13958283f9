import { defineApi } from '../api.js';
import { array, int16, int32, listOf, string } from '../fields.js';

/** ListGroups: all groups, or those in some states (Kafka protocol guide: ListGroups, key 16; KIP-518). */
export const listGroups = defineApi({
  key: 16,
  name: 'ListGroups',
  min: 0,
  max: 5,
  flexible: 3,
  request: { statesFilter: listOf(string(), { since: 4 }), typesFilter: listOf(string(), { since: 5 }) },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16(),
    groups: array({
      groupId: string(),
      protocolType: string(),
      groupState: string({ since: 4 }),
      groupType: string({ since: 5 }),
    }),
  },
});
