import { invalid, messageOf, readGivenBytes, type Json } from '@backlot/core/plugin';
import type { Intake } from '../session/intake.js';
import type { Headers } from '../wire/frame.js';

/** Sends a message to a destination. */
export async function publish(intake: Intake, given: Json): Promise<Json> {
  const { destination, headers = {} } = given as { destination: string; headers?: Headers };
  const own = Object.assign(Object.create(null) as Record<string, string>, headers);
  const body = readGivenBytes(given, 'body');
  try {
    return { id: await intake.publishOwn(destination, own, body) };
  } catch (thrown) {
    throw invalid(messageOf(thrown));
  }
}
