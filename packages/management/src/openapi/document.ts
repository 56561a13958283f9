import type { Host } from '@backlot/core';
import type { RouteResponse, TSchema } from '@backlot/core/plugin';
import type { Settings } from '../options.js';
import type { ManagementRoute } from '../routes/management-route.js';
import { parameterOf } from '../routes/route-path.js';
import { describeTags } from './tags.js';
import { ErrorSchema, namedSchemas } from './components.js';
import { SchemaWriter } from './schema-writer.js';
import { shareParts } from './share-document.js';

type JsonObject = Record<string, unknown>;

/** The members of an operation that are read again. */
export interface Operation extends JsonObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  /** The summary, where there is no more to say. */
  readonly description: string;
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  readonly responses: Readonly<Record<string, JsonObject>>;
}

/** An OpenAPI document, as far as its form is known. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: JsonObject;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonObject;
  readonly security: readonly JsonObject[];
}

const BEARER = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The value of api.token, where one is set.',
  },
};

/** The OpenAPI 3.1 document of the routes. */
export function createDocument(...given: Parameters<typeof documentSteps>): OpenApiDocument {
  const steps = documentSteps(...given);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Makes the document a route at a step, since all of them take long. */
export function* documentSteps(
  host: Host,
  routes: readonly ManagementRoute[],
  settings: Pick<Settings, 'token' | 'publicUrl'>,
): Generator<undefined, OpenApiDocument> {
  const writer = new SchemaWriter(namedSchemas(host));
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    const isOpen = settings.token !== undefined && route.withoutToken !== undefined;
    path[route.method.toLowerCase()] = {
      ...describeRoute(route, writer),
      ...(isOpen ? { security: [{}, { bearer: [] }] } : {}),
    };
    yield;
  }
  const shared = yield* shareParts(paths, writer.components());
  const tags = describeTags(host, routes);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Backlot management',
      version: '1.0.0',
      summary: 'Drives the mock servers of one Backlot process.',
      description:
        'Mocks, faults, traffic, time and data of all protocols that one process serves. What a route does not know is refused, with the value and with what would be right.',
      contact: { name: 'Backlot' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: settings.publicUrl ?? '/' }],
    tags,
    paths: shared.paths,
    components: { ...shared.components, securitySchemes: BEARER },
    // Without a token in the settings, whatever is sent is let in.
    security: [...(settings.token === undefined ? [{}] : []), { bearer: [] }],
  };
}

function describeRoute(route: ManagementRoute, writer: SchemaWriter): Operation {
  const parameters = describeParameters(route, writer);
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    description: route.description ?? route.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: describeBody(route, route.body, writer) }),
    responses: describeResponses(route, writer),
  };
}

function describeParameters(route: ManagementRoute, writer: SchemaWriter): JsonObject[] {
  const found: JsonObject[] = [];
  for (const segment of route.path.split('/')) {
    const name = parameterOf(segment);
    if (name === undefined) continue;
    const schema = route.params?.[name];
    found.push({
      name,
      in: 'path',
      required: true,
      schema: schema === undefined ? { type: 'string' } : writer.write(schema),
    });
  }
  for (const [name, schema] of Object.entries(route.query ?? {})) {
    const { description, ...rest } = writer.write(schema);
    found.push({ name, in: 'query', ...(description === undefined ? {} : { description }), schema: rest });
  }
  return found;
}

function describeBody(route: ManagementRoute, body: TSchema, writer: SchemaWriter): JsonObject {
  const examples = (route.examples ?? []).map((value, index) => [`example${index + 1}`, { value }] as const);
  return {
    required: route.bodyOptional !== true,
    content: {
      'application/json': {
        schema: writer.write(body),
        ...(examples.length === 0 ? {} : { examples: Object.fromEntries(examples) }),
      },
    },
  };
}

function describeResponses(route: ManagementRoute, writer: SchemaWriter): Record<string, JsonObject> {
  const responses: Record<string, JsonObject> = {};
  for (const [status, response] of Object.entries(route.responses)) {
    responses[status] = describeResponse(Number(status), response, writer);
  }
  // Query parameters that a route does not have are refused by all.
  if (!Object.keys(responses).some((status) => status.startsWith('4')))
    responses['400'] = describeResponse(400, { description: 'A query parameter is not known.' }, writer);
  responses['default'] = describeResponse(500, { description: 'An error.' }, writer);
  return responses;
}

function describeResponse(status: number, response: RouteResponse, writer: SchemaWriter): JsonObject {
  const { description, contentType = 'application/json' } = response;
  const schema = response.schema ?? (status >= 400 ? ErrorSchema : undefined);
  if (schema !== undefined)
    return { description, content: { [contentType]: { schema: writer.write(schema) } } };
  if (response.contentType === undefined) return { description };
  return { description, content: { [contentType]: { schema: { type: 'string' } } } };
}
