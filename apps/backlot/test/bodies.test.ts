import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JSON_FORMS } from '@backlot/conformance';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';
import { FREE_PORTS, makeFolder, startCommand, type StartedServer } from './command.js';
import { SAMPLES } from './samples.js';

// Bodies that no route wants, for every route of every protocol; the routes are those that the server describes.

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Body | { readonly $ref: string };
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly requestBodies?: Readonly<Record<string, Body>>;
  };
}

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
let described: Described;
beforeAll(async () => {
  folder = makeFolder();
  server = await startCommand(FREE_PORTS, { cwd: folder.path });
  const response = await fetch(`${server.urls['api'] ?? ''}/api/openapi.json`);
  described = (await response.json()) as Described;
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

async function send(method: string, path: string, body: string): Promise<{ status: number; error: unknown }> {
  const url = `${server.urls['api'] ?? ''}${path.replaceAll(/\{[^}]+\}/g, 'there')}`;
  const response = await fetch(url, { method, body });
  const { error } = (await response.json()) as { error?: unknown };
  return { status: response.status, error };
}

/** The fields that a body may have, through references and choices. */
function fieldsOf(schema: Schema | undefined): readonly string[] {
  if (schema === undefined) return [];
  const { $ref, anyOf = [], properties = {} } = schema;
  const named = $ref === undefined ? undefined : described.components.schemas[$ref.split('/').at(-1) ?? ''];
  return [...Object.keys(properties), ...fieldsOf(named), ...anyOf.flatMap(fieldsOf)];
}

/** What an operation takes, through a reference. */
function bodyOf({ requestBody }: Operation): Body | undefined {
  if (requestBody === undefined || !('$ref' in requestBody)) return requestBody;
  return described.components.requestBodies?.[requestBody.$ref.split('/').at(-1) ?? ''];
}

/** The routes that take a body, as far as they are below one of the paths. */
function routesBelow(
  pattern: RegExp,
): (readonly [method: string, path: string, fields: readonly string[]])[] {
  return Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const body = bodyOf(operation);
      return body === undefined || !pattern.test(path)
        ? []
        : [[method.toUpperCase(), path, fieldsOf(body.content['application/json']?.schema)] as const];
    }),
  );
}

/** How JSON begins that a route may take: rows of a collection may be a list, a message to explain a line, all else an object. */
function startOf(method: string, path: string): RegExp {
  if (method === 'PUT' && path === '/api/collections/{name}') return /^[[{]/;
  return path.startsWith('/api/explain/') ? /^[{"]/ : /^\{/;
}

/** Sends every form as the body of a route, and as each of its fields. */
async function expectRefusals(pattern: RegExp, sample: object): Promise<void> {
  const routes = routesBelow(pattern);
  expect(routes.length).toBeGreaterThan(0);
  for (const [method, path, fields] of routes) {
    for (const form of JSON_FORMS) {
      const { status, error } = await send(method, path, form);
      const isTaken = startOf(method, path).test(form) && status < 300;
      expect([method, path, form, isTaken || (status >= 400 && status < 500 && typeof error)]).toEqual([
        method,
        path,
        form,
        isTaken || 'string',
      ]);
    }
    for (const field of new Set(fields)) {
      for (const form of JSON_FORMS) {
        const rest = JSON.stringify({ ...sample, [field]: undefined }).slice(1, -1);
        const body = `{${rest}${rest === '' ? '' : ','}${JSON.stringify(field)}:${form}}`;
        const { status } = await send(method, path, body);
        expect([method, path, body, status < 500]).toEqual([method, path, body, true]);
      }
    }
  }
}

describe('bodies of any form', () => {
  it.each(INSTALLED_PROTOCOLS.map(({ kind }) => kind))('break no route of %s', async (kind) => {
    const { mock = {} } = SAMPLES[kind] ?? {};
    await send('POST', `/api/mocks/${kind}`, JSON.stringify({ ...mock, id: 'there' }));
    await expectRefusals(new RegExp(`^/api/(?:mocks|fault|explain|calls)/${kind}(?:/|$)`), mock);
    await send('DELETE', `/api/fault/${kind}`, '');
  });

  it('break no other route', async () => {
    await send('POST', '/api/scenarios', '{"id": "there"}');
    await expectRefusals(/^\/api\/(?!mocks|fault|explain|calls)/, {});
  });
});
