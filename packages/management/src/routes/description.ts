import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { runInSlices, Type, type RouteAnswer, type RouteRequest } from '@backlot/core/plugin';
import { PAGE_POLICY } from '../openapi/page.js';
import { answers, type ManagementRoute } from './management-route.js';

const pack = promisify(gzip);
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** A description that was made, and the same with gzip, which is packed when it is first asked for: it is a tenth as long. */
interface Made {
  readonly mountPath: string;
  readonly text: string;
  packed?: Promise<Buffer>;
}

/**
 * The description of the interface: as data, and as a page for people. Both are made when first asked for, and again when
 * the interface is reached below another path than the last time.
 *
 * @param describe - makes the description of an interface that is mounted below a path
 */
export function descriptionRoutes<Document extends object>(
  describe: (mountPath: string) => Promise<Document>,
  render: (document: Document) => Iterator<unknown, string>,
): ManagementRoute[] {
  const document = keepLast(async (mountPath) => JSON.stringify(await describe(mountPath)));
  const page = keepLast(async (mountPath) => runInSlices(render(await describe(mountPath))));
  return [
    {
      method: 'GET',
      path: '/api/openapi.json',
      name: 'getOpenApi',
      tag: 'System',
      summary: 'This description, as OpenAPI 3.1.',
      responses: { 200: answers('The OpenAPI document.', Type.Object({}, { additionalProperties: true })) },
      async handle(request) {
        return answerOf(request, await document(request.mountPath), 'application/json; charset=utf-8');
      },
    },
    {
      method: 'GET',
      path: '/api/docs',
      name: 'getDocs',
      tag: 'System',
      summary: 'This description, as a page.',
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
      async handle(request) {
        return answerOf(request, await page(request.mountPath), 'text/html; charset=utf-8', {
          'content-security-policy': PAGE_POLICY,
        });
      },
    },
  ];
}

function keepLast(make: (mountPath: string) => Promise<string>): (mountPath: string) => Promise<Made> {
  let last: Made | undefined;
  return async (mountPath) => {
    if (last?.mountPath === mountPath) return last;
    const made: Made = { mountPath, text: await make(mountPath) };
    last = made;
    return made;
  };
}

/** The description as the client takes it. */
async function answerOf(
  { headers }: RouteRequest,
  made: Made,
  contentType: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RouteAnswer> {
  // Whether a page of another origin may read it is said before, and depends on that origin.
  const always = { ...more, vary: 'Origin, Accept-Encoding' };
  if (!TAKES_GZIP.test(String(headers['accept-encoding'] ?? '')))
    return { text: made.text, contentType, headers: always };
  made.packed ??= pack(made.text);
  return {
    bytes: await made.packed,
    contentType,
    headers: { ...always, 'content-encoding': 'gzip' },
  };
}
