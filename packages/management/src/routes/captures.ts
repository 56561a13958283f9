import type { Kind } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { CLEARED, ClearedSchema, answers, pascalCase, type ManagementRoute } from './management-route.js';

/** What a kind has captured of its traffic; none when it does not capture. */
export function captureRoutes(kind: Kind): ManagementRoute[] {
  const { capture, meta } = kind.protocol;
  if (capture === undefined) return [];
  const path = capture.path ?? `/api/${kind.kind}/messages`;
  const name = pascalCase(kind.kind);
  return [
    {
      method: 'GET',
      path,
      name: `list${name}Messages`,
      tag: 'Captured messages',
      summary: `Lists what ${meta.title} has captured, oldest first.`,
      responses: { 200: answers('The captured messages.', Type.Array(capture.schema)) },
      handle: () => ({ body: kind.captures?.values() ?? [] }),
    },
    {
      method: 'DELETE',
      path,
      name: `clear${name}Messages`,
      tag: 'Captured messages',
      summary: `Forgets what ${meta.title} has captured.`,
      responses: { 200: answers('Nothing is captured any more.', ClearedSchema) },
      handle() {
        kind.captures?.clear();
        return CLEARED;
      },
    },
  ];
}
