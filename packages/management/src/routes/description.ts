import { runInSlices, Type } from '@backlot/core/plugin';
import { PAGE_POLICY } from '../openapi/page.js';
import { answers, type ManagementRoute } from './management-route.js';

/** The description of the interface: as data, and as a page for people. Both are made when first asked for. */
export function descriptionRoutes<Document extends object>(
  describe: () => Promise<Document>,
  render: (document: Document) => Iterator<unknown, string>,
): ManagementRoute[] {
  let document: string | undefined;
  let page: string | undefined;
  return [
    {
      method: 'GET',
      path: '/api/openapi.json',
      name: 'getOpenApi',
      tag: 'System',
      summary: 'This description, as OpenAPI 3.1.',
      responses: { 200: answers('The OpenAPI document.', Type.Object({}, { additionalProperties: true })) },
      async handle() {
        document ??= JSON.stringify(await describe());
        return { text: document, contentType: 'application/json; charset=utf-8' };
      },
    },
    {
      method: 'GET',
      path: '/api/docs',
      name: 'getDocs',
      tag: 'System',
      summary: 'This description, as a page.',
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
      async handle() {
        page ??= await runInSlices(render(await describe()));
        return {
          text: page,
          contentType: 'text/html; charset=utf-8',
          headers: { 'content-security-policy': PAGE_POLICY },
        };
      },
    },
  ];
}
