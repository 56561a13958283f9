import { defineApi } from '../api.js';
import { int16, listOf, string } from '../fields.js';

/**
 * SaslHandshake: chooses a mechanism. After version 0 the tokens follow without a header of Kafka.
 *
 * Kafka protocol guide: SaslHandshake, key 17; KIP-43, KIP-152.
 */
export const saslHandshake = defineApi({
  key: 17,
  name: 'SaslHandshake',
  min: 0,
  max: 1,
  flexible: Infinity,
  request: { mechanism: string() },
  response: { errorCode: int16(), mechanisms: listOf(string()) },
});
