import { defineApi } from '../api.js';
import { array, int16, int32, string } from '../fields.js';

/**
 * ApiVersions: what is answered, and in which versions.
 *
 * Kafka protocol guide: ApiVersions, key 18; KIP-35, KIP-511.
 */
export const apiVersions = defineApi({
  key: 18,
  name: 'ApiVersions',
  min: 0,
  max: 4,
  flexible: 3,
  request: { clientSoftwareName: string({ since: 3 }), clientSoftwareVersion: string({ since: 3 }) },
  response: {
    errorCode: int16(),
    apiKeys: array({ apiKey: int16(), minVersion: int16(), maxVersion: int16() }),
    throttleTimeMs: int32({ since: 1 }),
  },
});
