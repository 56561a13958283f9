import { defineApi } from '../api.js';
import { array, bool, int16, int32, int8, nullableString, string } from '../fields.js';

/**
 * IncrementalAlterConfigs: changes single settings.
 *
 * Kafka protocol guide: IncrementalAlterConfigs, key 44; KIP-339.
 */
export const incrementalAlterConfigs = defineApi({
  key: 44,
  name: 'IncrementalAlterConfigs',
  min: 0,
  max: 1,
  flexible: 1,
  request: {
    resources: array({
      resourceType: int8(),
      resourceName: string(),
      configs: array({ name: string(), configOperation: int8(), value: nullableString() }),
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
