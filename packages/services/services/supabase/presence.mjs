import { writeFrame } from './frames.mjs';

/** Sends an event to all who have joined a channel, but for one. */
export function toAll(context, channel, event, payload, except) {
  if (channel === undefined) return;
  const open = new Set(context.streams('websocket/supabase:realtime'));
  for (const { stream, vsn, join_ref: joinRef } of channel.members) {
    if (stream === except || !open.has(stream)) continue;
    const frame = { joinRef, ref: null, topic: channel.topic, event, payload };
    context.push(`websocket/${stream}`, writeFrame(vsn, frame));
  }
}

function tell(context, channel, diff) {
  const wanting = channel.members.filter((one) => one.wants_presence);
  toAll(context, { ...channel, members: wanting }, 'presence_diff', { joins: {}, leaves: {}, ...diff });
}

/** Somebody is there. */
export function bringIn(context, channel, { key, metas }) {
  tell(context, channel, { joins: { [key]: { metas } } });
}

/** Somebody is there no more. */
export function takeOut(context, channel, { key, metas }) {
  tell(context, channel, { leaves: { [key]: { metas } } });
}
