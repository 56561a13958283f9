import type { Kind, StoredCapture } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { findItem } from '../answer/pages.js';
import { captureSchema } from '../openapi/kind-schemas.js';
import {
  CLEARED,
  ClearedSchema,
  answers,
  fails,
  paramOf,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';

/** What a kind has captured of its traffic; none when it does not capture. */
export function captureRoutes(kind: Kind): ManagementRoute[] {
  const { capture, meta } = kind.protocol;
  if (capture === undefined) return [];
  const path = capture.path ?? `/api/${kind.kind}/messages`;
  const name = pascalCase(kind.kind);
  const schema = captureSchema(capture);
  const items = (): Iterable<StoredCapture> => kind.captures?.items() ?? [];
  return [
    {
      method: 'GET',
      path,
      name: `list${name}Messages`,
      tag: 'Captured messages',
      summary: `Lists what ${meta.title} has captured, oldest first.`,
      pages: { cutsTexts: true },
      responses: { 200: answers('The captured messages.', Type.Array(schema)) },
      handle: () => ({
        list: items(),
        idOf: (item: StoredCapture) => item.id,
        show: (item: StoredCapture) => item.read(),
      }),
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      name: `get${name}Message`,
      tag: 'Captured messages',
      summary: `One message that ${meta.title} has captured, whole.`,
      responses: { 200: answers('The message.', schema), 404: fails('No such message is stored.') },
      async handle(request) {
        const found = await findItem(items(), (item) => item.id, paramOf(request, 'id'), 'captured message');
        return { body: found.read() };
      },
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
