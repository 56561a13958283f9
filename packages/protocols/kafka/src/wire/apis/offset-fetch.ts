import { defineApi } from '../api.js';
import {
  array,
  bool,
  int16,
  int32,
  int64,
  listOf,
  nullableArray,
  nullableString,
  string,
  type FieldOptions,
} from '../fields.js';

const asked = { name: string(), partitionIndexes: listOf(int32()) };
const answered = (options: FieldOptions) =>
  array(
    {
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        committedOffset: int64({ fallback: -1 }),
        committedLeaderEpoch: int32({ since: 5, fallback: -1 }),
        metadata: nullableString(),
        errorCode: int16(),
      }),
    },
    options,
  );

/**
 * OffsetFetch: what was committed; from version 8 on for several groups at once.
 *
 * Kafka protocol guide: OffsetFetch, key 9; KIP-709.
 */
export const offsetFetch = defineApi({
  key: 9,
  name: 'OffsetFetch',
  min: 1,
  max: 9,
  flexible: 6,
  request: {
    groupId: string({ until: 7 }),
    topics: nullableArray(asked, { until: 7, nullable: 2 }),
    groups: array(
      {
        groupId: string(),
        memberId: nullableString({ since: 9 }),
        memberEpoch: int32({ since: 9, fallback: -1 }),
        topics: nullableArray(asked),
      },
      { since: 8 },
    ),
    requireStable: bool({ since: 7 }),
  },
  response: {
    throttleTimeMs: int32({ since: 3 }),
    topics: answered({ until: 7 }),
    errorCode: int16({ since: 2, until: 7 }),
    groups: array({ groupId: string(), topics: answered({}), errorCode: int16() }, { since: 8 }),
  },
});
