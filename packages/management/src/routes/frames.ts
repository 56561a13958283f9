import { randomBytes } from 'node:crypto';
import type { Host, Kind } from '@backlot/core';
import { BacklotError, Type, type PiecedText, type RouteAnswer } from '@backlot/core/plugin';
import { TextInPieces } from '../answer/json-pieces.js';
import { findItem } from '../answer/pages.js';
import { showPieces } from './captures.js';
import { framedPieces } from './framed-html.js';
import {
  answers,
  fails,
  paramOf,
  pascalCase,
  type ManagementRequest,
  type ManagementRoute,
} from './management-route.js';

/** How many frames there are at once; the oldest is gone when another one is made. */
const MAX_FRAMES = 20;

/**
 * What somebody has sent, as HTML: a document of no origin, without scripts, forms and links to follow, which loads nothing but
 * images that it holds itself. It may stand in a page of this server alone.
 */
const FRAME_HEADERS = {
  'Content-Security-Policy': [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'X-Frame-Options': 'SAMEORIGIN',
  'Cache-Control': 'no-store',
};

/** The HTML of each frame by its name, which nobody can guess. */
const framesOf = new WeakMap<Host, Map<string, PiecedText>>();

const unknown = fails('There is no such frame, or newer ones have taken its place.');

/** Documents that stand in frames of a page. */
export function frameRoutes(): ManagementRoute[] {
  const show = (host: Host, name: string): RouteAnswer => {
    const text = framesOf.get(host)?.get(name);
    if (text === undefined)
      throw new BacklotError('not_found', `there is no frame ${JSON.stringify(name.slice(0, 100))}`);
    return {
      pieces: framedPieces(text),
      contentType: 'text/html; charset=utf-8',
      headers: FRAME_HEADERS,
    };
  };
  return [
    {
      method: 'GET',
      path: '/api/frames/{name}',
      name: 'getFrame',
      // Frames are made where they are asked for.
      reach: 'agreed',
      tag: 'Captured messages',
      summary:
        'The HTML of a captured message, for a frame: without scripts, and without anything from elsewhere.',
      description:
        'Needs no token, since a frame cannot send one: its name is known to who has made it alone.',
      responses: { 200: { description: 'The document.', contentType: 'text/html' }, 404: unknown },
      withoutToken: (host, request) => show(host, paramOf(request, 'name')),
      handle: (request, host) => show(host, paramOf(request, 'name')),
    },
  ];
}

/** Makes frames of what a kind has captured; nothing for a kind whose messages have no HTML. */
export function frameRoutesOf(kind: Kind): ManagementRoute[] {
  const { capture, meta } = kind.protocol;
  const field = capture?.view?.html;
  if (capture === undefined || field === undefined) return [];
  const path = capture.path ?? `/api/${kind.kind}/messages`;
  const make = (message: unknown, request: ManagementRequest): RouteAnswer => {
    const html = (message as Readonly<Record<string, unknown>>)[field];
    if (typeof html !== 'string' && !(html instanceof TextInPieces))
      throw new BacklotError('not_found', `captured message "${paramOf(request, 'id')}" has no HTML`);
    return {
      body: {
        path: `${request.mountPath}/api/frames/${addFrame(request.main, typeof html === 'string' ? { length: html.length, pieces: () => [html] } : html)}`,
      },
    };
  };
  return [
    {
      method: 'POST',
      path: `${path}/{id}/frame`,
      name: `make${pascalCase(kind.kind)}Frame`,
      gather: { as: 'made', of: `get${pascalCase(kind.kind)}Message`, param: 'id', make },
      tag: 'Captured messages',
      summary: `Makes a frame of the HTML of one message that ${meta.title} has captured.`,
      description: `The newest ${MAX_FRAMES} frames are kept.`,
      responses: {
        200: answers(
          'Where the document is.',
          Type.Object({ path: Type.String({ description: 'Its path on this server.' }) }),
        ),
        404: fails('No such message is stored, or it has no HTML.'),
      },
      async handle(request) {
        const id = paramOf(request, 'id');
        const item = await findItem(kind.captures?.items() ?? [], (each) => each.id, id, 'captured message');
        return make(showPieces(item), request);
      },
    },
  ];
}

function addFrame(host: Host, html: PiecedText): string {
  let frames = framesOf.get(host);
  if (frames === undefined) {
    frames = new Map<string, PiecedText>();
    framesOf.set(host, frames);
  }
  const name = randomBytes(24).toString('base64url');
  frames.set(name, html);
  const [oldest] = frames.keys();
  if (frames.size > MAX_FRAMES && oldest !== undefined) frames.delete(oldest);
  return name;
}
