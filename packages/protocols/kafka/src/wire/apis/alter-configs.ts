import { defineApi } from '../api.js';
import { array, bool, int16, int32, int8, nullableString, string } from '../fields.js';

/** AlterConfigs: puts settings in place of all that were given (Kafka protocol guide: AlterConfigs, key 33; KIP-133). */
export const alterConfigs = defineApi({
  key: 33,
  name: 'AlterConfigs',
  min: 0,
  max: 2,
  flexible: 2,
  request: {
    resources: array({
      resourceType: int8(),
      resourceName: string(),
      configs: array({ name: string(), value: nullableString() }),
    }),
    validateOnly: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    responses: array({
      errorCode: int16(),
      errorMessage: nullableString(),
      resourceType: int8(),
      resourceName: string(),
    }),
  },
});
