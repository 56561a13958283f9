import { defineApi } from '../api.js';
import { array, int16, int32, int8, listOf, nullableString, string } from '../fields.js';

/**
 * FindCoordinator: the broker of a group; from version 4 on for several at once.
 *
 * Kafka protocol guide: FindCoordinator, key 10; KIP-699.
 */
export const findCoordinator = defineApi({
  key: 10,
  name: 'FindCoordinator',
  min: 0,
  max: 5,
  flexible: 3,
  request: {
    key: string({ until: 3 }),
    keyType: int8({ since: 1 }),
    coordinatorKeys: listOf(string(), { since: 4 }),
  },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    errorCode: int16({ until: 3 }),
    errorMessage: nullableString({ since: 1, until: 3 }),
    nodeId: int32({ until: 3, fallback: -1 }),
    host: string({ until: 3 }),
    port: int32({ until: 3, fallback: -1 }),
    coordinators: array(
      {
        key: string(),
        nodeId: int32({ fallback: -1 }),
        host: string(),
        port: int32({ fallback: -1 }),
        errorCode: int16(),
        errorMessage: nullableString(),
      },
      { since: 4 },
    ),
  },
});
