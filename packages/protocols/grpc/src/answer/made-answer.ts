import type { Random } from '@backlot/core/plugin';
import { encodeMessage } from '../codec/encode.js';
import { sampleMessage } from '../codec/sample-message.js';
import type { Method } from '../schema/model.js';
import type { EncodedMessage } from './compiled-message.js';

/** The message that answers a method where no mock does, made by its type. */
export function makeAnswer({ response }: Method, random: Random): EncodedMessage {
  const value = sampleMessage(response, random);
  return { bytes: encodeMessage(response, value), text: JSON.stringify(value) };
}
