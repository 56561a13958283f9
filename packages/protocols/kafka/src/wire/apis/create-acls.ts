import { defineApi } from '../api.js';
import { array, int16, int32, int8, nullableString, string } from '../fields.js';

/** CreateAcls: adds rules (Kafka protocol guide: CreateAcls, key 30). */
export const createAcls = defineApi({
  key: 30,
  name: 'CreateAcls',
  min: 0,
  max: 3,
  flexible: 2,
  request: {
    creations: array({
      resourceType: int8(),
      resourceName: string(),
      resourcePatternType: int8({ since: 1, fallback: 3 }),
      principal: string(),
      host: string(),
      operation: int8(),
      permissionType: int8(),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    results: array({ errorCode: int16(), errorMessage: nullableString() }),
  },
});
