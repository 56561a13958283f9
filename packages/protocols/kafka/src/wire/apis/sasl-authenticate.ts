import { defineApi } from '../api.js';
import { bytes, int16, int64, nullableString } from '../fields.js';

/**
 * SaslAuthenticate: a token of the mechanism that was chosen.
 *
 * Kafka protocol guide: SaslAuthenticate, key 36; KIP-152.
 */
export const saslAuthenticate = defineApi({
  key: 36,
  name: 'SaslAuthenticate',
  min: 0,
  max: 2,
  flexible: 2,
  request: { authBytes: bytes() },
  response: {
    errorCode: int16(),
    errorMessage: nullableString(),
    authBytes: bytes(),
    sessionLifetimeMs: int64({ since: 1 }),
  },
});
