import { defineApi } from '../api.js';
import { array, bool, int16, int32, int8, nullableListOf, nullableString, string } from '../fields.js';

/**
 * DescribeConfigs: the settings of topics and of the broker.
 *
 * Kafka protocol guide: DescribeConfigs, key 32; KIP-133.
 */
export const describeConfigs = defineApi({
  key: 32,
  name: 'DescribeConfigs',
  min: 0,
  max: 4,
  flexible: 4,
  request: {
    resources: array({
      resourceType: int8(),
      resourceName: string(),
      configurationKeys: nullableListOf(string()),
    }),
    includeSynonyms: bool({ since: 1 }),
    includeDocumentation: bool({ since: 3 }),
  },
  response: {
    throttleTimeMs: int32(),
    results: array({
      errorCode: int16(),
      errorMessage: nullableString(),
      resourceType: int8(),
      resourceName: string(),
      configs: array({
        name: string(),
        value: nullableString(),
        readOnly: bool(),
        isDefault: bool({ until: 0 }),
        configSource: int8({ since: 1, fallback: -1 }),
        isSensitive: bool(),
        synonyms: array({ name: string(), value: nullableString(), source: int8() }, { since: 1 }),
        configType: int8({ since: 3 }),
        documentation: nullableString({ since: 3 }),
      }),
    }),
  },
});
