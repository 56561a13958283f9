import { runInSlices, Type } from '@backlot/core/plugin';
import { PAGE_POLICY } from '../openapi/page.js';
import { answers, type ManagementRoute } from './management-route.js';

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
      async handle({ mountPath }) {
        return { text: await document(mountPath), contentType: 'application/json; charset=utf-8' };
      },
    },
    {
      method: 'GET',
      path: '/api/docs',
      name: 'getDocs',
      tag: 'System',
      summary: 'This description, as a page.',
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
      async handle({ mountPath }) {
        return {
          text: await page(mountPath),
          contentType: 'text/html; charset=utf-8',
          headers: { 'content-security-policy': PAGE_POLICY },
        };
      },
    },
  ];
}

function keepLast(make: (mountPath: string) => Promise<string>): (mountPath: string) => Promise<string> {
  let last: { readonly mountPath: string; readonly text: string } | undefined;
  return async (mountPath) => {
    if (last?.mountPath === mountPath) return last.text;
    const made = { mountPath, text: await make(mountPath) };
    last = made;
    return made.text;
  };
}
