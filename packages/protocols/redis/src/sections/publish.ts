import { runInSlices, type Json } from '@backlot/core/plugin';
import type { ServerState } from '../server-state.js';
import { toWire } from '../wire/text.js';

/** Publishes a message in a channel; to very many clients in slices. */
export async function publish(server: ServerState, channel: string, message: string): Promise<Json> {
  const steps = server.pubSub.publish('channel', toWire(channel), toWire(message));
  return { receivers: await runInSlices(steps) };
}
