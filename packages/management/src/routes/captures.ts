import type { Kind, StoredCapture } from '@backlot/core';
import {
  BacklotError,
  Type,
  type Attachment,
  type PiecedAttachment,
  type RouteAnswer,
} from '@backlot/core/plugin';
import { cutTexts, DEFAULT_MAX_TEXT } from '../answer/cut-texts.js';
import { beginningOf, TextInPieces } from '../answer/json-pieces.js';
import { findItem } from '../answer/pages.js';
import { captureSchema } from '../openapi/kind-schemas.js';
import type { GatheredList } from '../gathering/gathering.js';
import { dispositionOf } from './disposition.js';
import { fieldFilters } from './field-filters.js';
import {
  CLEARED,
  ClearedSchema,
  answers,
  fails,
  paramOf,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';
import { select } from './select.js';
import { filteredWaitRoute } from './wait-for.js';

const tag = 'Captured messages';

/** What a kind has captured of its traffic; none when it does not capture. */
export function captureRoutes(kind: Kind): ManagementRoute[] {
  const { capture, meta } = kind.protocol;
  if (capture === undefined) return [];
  const path = capture.path ?? `/api/${kind.kind}/messages`;
  const name = pascalCase(kind.kind);
  const schema = captureSchema(capture);
  const { timeField } = capture;
  const filters = fieldFilters(capture.schema, timeField === undefined ? {} : { timeField });
  const time = timeField ?? 'timestamp';
  const gathered: GatheredList = {
    as: 'list',
    ...(Object.hasOwn(capture.schema.properties, time) ? { time } : {}),
  };
  const items = (): Iterable<StoredCapture> => kind.captures?.items() ?? [];
  const routes: ManagementRoute[] = [
    {
      method: 'GET',
      path,
      name: `list${name}Messages`,
      gather: gathered,
      tag,
      summary: `Lists what ${meta.title} has captured, oldest first.`,
      description: 'Every field is a filter: its value is a pattern.',
      query: filters.query,
      pages: { cutsTexts: true },
      responses: {
        200: answers('The captured messages.', Type.Array(schema)),
        400: fails('A query parameter is not known or not valid.'),
      },
      async handle({ query, signal }, host) {
        const list = [...items()];
        const test = filters.compile(query, host.clock.now());
        // `after` may name a message that is not shown.
        const kept =
          test === undefined ? undefined : new Set(await select(list, showPieces, test, { signal }));
        return {
          list,
          idOf: (item: StoredCapture) => item.id,
          show: showStart,
          ...(kept === undefined ? {} : { where: (item: StoredCapture) => kept.has(item) }),
        };
      },
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      name: `get${name}Message`,
      gather: { as: 'one', param: 'id' },
      tag,
      summary: `One message that ${meta.title} has captured, whole.`,
      responses: { 200: answers('The message.', schema), 404: fails('No such message is stored.') },
      handle: async (request) => ({ body: showPieces(await find(paramOf(request, 'id'))) }),
    },
    filteredWaitRoute(kind, {
      path: `${path}/wait`,
      name: `waitFor${name}Messages`,
      tag,
      summary: `Waits until ${meta.title} has captured so many messages; those that are there count.`,
      what: 'messages',
      examples: [{ count: 2, timeout: '5s' }],
      schema,
      filters,
      gathered,
      wait: async (test, ...given) =>
        ((await kind.captures?.wait((item) => test(showPieces(item)), ...given)) ?? []).map(showPieces),
    }),
    {
      method: 'DELETE',
      path,
      name: `clear${name}Messages`,
      reach: 'command',
      tag,
      summary: `Forgets what ${meta.title} has captured.`,
      responses: { 200: answers('Nothing is captured any more.', ClearedSchema) },
      handle() {
        kind.captures?.clear();
        return CLEARED;
      },
    },
  ];
  const find = (id: string): Promise<StoredCapture> =>
    findItem(items(), (item) => item.id, id, 'captured message');
  if (capture.attachment !== undefined) {
    routes.push({
      method: 'GET',
      path: `${path}/{id}/attachments/{index}`,
      name: `get${name}Attachment`,
      gather: { as: 'one', param: 'id' },
      tag,
      summary: `What is attached to one message that ${meta.title} has captured: its decoded bytes.`,
      description: 'Browsers store it and do not show it, whatever type it has.',
      params: { index: Type.Integer({ minimum: 0, description: 'Its place in `attachments`, from 0 on.' }) },
      responses: {
        200: { description: 'The bytes.', contentType: 'application/octet-stream' },
        404: fails('No such message is stored, or it has no such attachment.'),
      },
      async handle(request) {
        const id = paramOf(request, 'id');
        const index = Number(paramOf(request, 'index'));
        const item = await find(id);
        const found =
          item.readAttachment === undefined
            ? await kind.protocol.capture?.attachment?.(item.read() as never, index)
            : await item.readAttachment(index);
        if (found === undefined) {
          throw new BacklotError('not_found', `captured message "${id}" has no attachment ${index}`);
        }
        return sendAttachment(found);
      },
    });
  }
  return routes;
}

/** The whole message; its long texts are made as they are written. */
export function showPieces(item: StoredCapture): unknown {
  const { shown, texts } = item.readPieces();
  const long = Object.entries(texts).map(([name, text]) => [name, new TextInPieces(text)] as const);
  return long.length === 0 ? shown : { ...(shown as object), ...Object.fromEntries(long) };
}

function showStart(item: StoredCapture, most: number): unknown {
  if (most > DEFAULT_MAX_TEXT) return showCut(item, most);
  const { shown, lengths } = item.readStart(most);
  return cutTexts(shown, most, lengths);
}

/** As a list shows it where texts may be so long that their beginnings are long as well. */
function showCut(item: StoredCapture, most: number): unknown {
  const { shown, texts } = item.readPieces();
  const long = Object.entries(texts);
  if (long.length === 0) return shown;
  const cut = long.filter(([, { length }]) => length > most);
  return {
    ...(shown as object),
    ...Object.fromEntries(long.map(([name, text]) => [name, new TextInPieces(beginningOf(text, most))])),
    ...(cut.length === 0
      ? {}
      : { truncated: Object.fromEntries(cut.map(([name, { length }]) => [name, length])) }),
  };
}

function sendAttachment(found: Attachment | PiecedAttachment): RouteAnswer {
  const { filename, contentType } = found;
  // A type with parameters or control characters, which a sender may have made up, is no header.
  const shown = {
    contentType: /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(contentType)
      ? contentType
      : 'application/octet-stream',
    headers: { 'Content-Disposition': dispositionOf(filename) },
  };
  if ('content' in found) return { bytes: found.content, ...shown };
  const headers = { ...shown.headers, 'Content-Length': String(found.length) };
  return { pieces: found.pieces(), ...shown, headers };
}
