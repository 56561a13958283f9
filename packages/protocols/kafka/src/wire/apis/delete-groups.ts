import { defineApi } from '../api.js';
import { array, int16, int32, listOf, string } from '../fields.js';

/** DeleteGroups: groups without members (Kafka protocol guide: DeleteGroups, key 42; KIP-229). */
export const deleteGroups = defineApi({
  key: 42,
  name: 'DeleteGroups',
  min: 0,
  max: 2,
  flexible: 2,
  request: { groupsNames: listOf(string()) },
  response: {
    throttleTimeMs: int32(),
    results: array({ groupId: string(), errorCode: int16() }),
  },
});
