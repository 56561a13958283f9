import { operation, originOf, rowsOf } from './api.mjs';

/** The address of a connection of Socket Mode. */
export const open = operation(
  ({ request, context }) => {
    const ticket = `${context.random.uuid()}&app_id=A0BACKLOT`;
    return { url: `${originOf(request, 'ws')}/link?ticket=${ticket}` };
  },
  { token: 'app' },
);

/** What a client sends on its connection: the acknowledgement of an envelope, perhaps with an answer. */
export function acknowledge({ body }, context) {
  const { envelope_id: id, payload = null } = typeof body === 'object' && body !== null ? body : {};
  const rows = rowsOf(context, 'envelopes');
  if (typeof id === 'string' && rows.has(id)) {
    const answer = payload !== null && Object.keys(payload).length > 0 ? payload : null;
    rows.update(id, { acknowledged: true, answer });
  }
  return [{}];
}

/** Tells a client to come again, as Slack does with each connection from time to time. */
export function refresh(_request, context) {
  const open = context.streams('websocket/slack:socket');
  for (const id of open)
    context.push(`websocket/${id}`, {
      json: { type: 'disconnect', reason: 'refresh_requested', debug_info: { host: 'backlot' } },
    });
  return { json: { ok: true, connections: open.length } };
}
