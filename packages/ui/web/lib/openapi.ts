import { api } from './api.js';
import type { Schema } from './kinds.js';

/** A parameter of a route. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** One route, as the OpenAPI document has it. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  /** What it takes: undefined when nothing. */
  readonly body?: { readonly required: boolean; readonly type: string } & Content;
  readonly responses: readonly {
    readonly status: string;
    readonly description: string;
    readonly type?: string;
    readonly schema?: Schema;
  }[];
  /** What is searched, in lower case. */
  readonly text: string;
}

/** The interface: its routes, and the schemas that they refer to. */
export interface Interface {
  readonly routes: readonly Route[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** In place of a part that stands in several operations: where it is. */
interface Reference {
  readonly $ref?: string;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter & Reference)[];
  readonly requestBody?: Reference & {
    readonly required?: boolean;
    readonly content?: Readonly<Record<string, Content>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      Reference & { readonly description: string; readonly content?: Readonly<Record<string, Content>> }
    >
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

let asked: Promise<Interface> | undefined;

/** Asks for the interface, once. */
export function readInterface(): Promise<Interface> {
  if (asked === undefined) {
    asked = api<Document>('/api/openapi.json').then(interfaceOf);
    asked.catch(() => {
      asked = undefined;
    });
  }
  return asked;
}

function interfaceOf({ paths, components }: Document): Interface {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      routeOf(method.toUpperCase(), path, operation, components),
    ),
  );
  return { routes, schemas: (components['schemas'] ?? {}) as Readonly<Record<string, Schema>> };
}

/** A part, or what it refers to. */
function partOf<Part extends Reference>(part: Part, components: Document['components']): Part {
  if (part.$ref === undefined) return part;
  const [section = '', name = ''] = part.$ref.split('/').slice(-2);
  return components[section]?.[name] as Part;
}

function routeOf(
  method: string,
  path: string,
  operation: Operation,
  components: Document['components'],
): Route {
  const { operationId: id, tags, summary, description, responses } = operation;
  const parameters = (operation.parameters ?? []).map((part) => partOf(part, components));
  const requestBody =
    operation.requestBody === undefined ? undefined : partOf(operation.requestBody, components);
  const [body] = Object.entries(requestBody?.content ?? {});
  const names = parameters.map(({ name }) => name).join(' ');
  return {
    method,
    path,
    id,
    tag: tags[0] ?? '',
    summary,
    ...(description === undefined ? {} : { description }),
    parameters,
    ...(body === undefined
      ? {}
      : { body: { required: requestBody?.required === true, type: body[0], ...body[1] } }),
    responses: Object.entries(responses)
      .filter(([status]) => status !== 'default')
      .map(([status, part]) => {
        const { description: says, content = {} } = partOf(part, components);
        const [first] = Object.entries(content);
        return {
          status,
          description: says,
          ...(first === undefined
            ? {}
            : { type: first[0], ...(first[1].schema === undefined ? {} : { schema: first[1].schema }) }),
        };
      }),
    text: `${method} ${path} ${id} ${summary} ${description ?? ''} ${names}`.toLowerCase(),
  };
}
