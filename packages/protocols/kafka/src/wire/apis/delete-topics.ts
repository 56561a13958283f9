import { defineApi } from '../api.js';
import { array, int16, int32, listOf, nullableString, string, uuid } from '../fields.js';

/**
 * DeleteTopics: by name, or from version 6 on by id.
 *
 * Kafka protocol guide: DeleteTopics, key 20; KIP-4, KIP-516.
 */
export const deleteTopics = defineApi({
  key: 20,
  name: 'DeleteTopics',
  min: 0,
  max: 6,
  flexible: 4,
  request: {
    topics: array({ name: nullableString(), topicId: uuid() }, { since: 6 }),
    topicNames: listOf(string(), { until: 5 }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32({ since: 1 }),
    responses: array({
      name: nullableString({ nullable: 6 }),
      topicId: uuid({ since: 6 }),
      errorCode: int16(),
      errorMessage: nullableString({ since: 5 }),
    }),
  },
});
