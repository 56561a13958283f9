import { jsonAnswer } from '@backlot/kit/http';
import type { HttpAnswer } from '@backlot/kit/http';

const SUFFIX = '/negotiate';

/** The path of the hub that a request asks how to connect to; `undefined` when it asks for something else. */
export function hubOf(path: string): string | undefined {
  return path.endsWith(SUFFIX) ? path.slice(0, -SUFFIX.length) || '/' : undefined;
}

/**
 * What a client is told before it connects: there is WebSocket, with texts and bytes.
 *
 * @param version - `negotiateVersion` of its query: from 1 on there is a token beside the id
 */
export function negotiate(version: unknown, newId: () => string): HttpAnswer {
  const isNew = typeof version === 'string' && Number(version) >= 1;
  return jsonAnswer(200, {
    connectionId: newId(),
    ...(isNew ? { connectionToken: newId(), negotiateVersion: 1 } : { negotiateVersion: 0 }),
    availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
  });
}
