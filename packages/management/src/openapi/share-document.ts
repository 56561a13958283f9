import { pascalCase } from '../routes/management-route.js';
import { SchemaShares } from './schema-shares.js';

type Json = Readonly<Record<string, unknown>>;

/** What stands in an operation, and of which much is the same in others. */
interface OperationParts extends Json {
  readonly operationId: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
}

type Paths<Operation> = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** How many characters a name for an answer, a body or a parameter has to save. */
const MIN_SAVED = 150;
/** About how long a reference is. */
const REFERENCE = 50;

const STATUS_NAMES: Readonly<Record<string, string>> = {
  default: 'Error',
  200: 'Ok',
  201: 'Created',
  400: 'BadRequest',
  404: 'NotFound',
  408: 'Timeout',
  409: 'Conflict',
  500: 'Failure',
  503: 'Unavailable',
};

/** Parts of a document by their JSON, of which those that occur often get a name. */
class Occurrences {
  readonly #place: string;
  readonly #counts = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #parts = new Map<string, unknown>();

  constructor(place: string) {
    this.#place = place;
  }

  count(part: Json): void {
    const text = JSON.stringify(part);
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** The part, or a reference to it where it was counted often enough. */
  write(part: Json, base: string): Json {
    const text = JSON.stringify(part);
    const saved = ((this.#counts.get(text) ?? 0) - 1) * (text.length - REFERENCE);
    if (saved < MIN_SAVED) return part;
    let name = this.#names.get(text);
    if (name === undefined) {
      for (let count = 1; name === undefined || this.#parts.has(name); count += 1)
        name = count === 1 ? base : `${base}${count}`;
      this.#names.set(text, name);
      this.#parts.set(name, part);
    }
    return { $ref: `${this.#place}${name}` };
  }

  /** What has a name, in the order of the names; nothing when nothing has. */
  named(): Json | undefined {
    if (this.#parts.size === 0) return undefined;
    return Object.fromEntries([...this.#parts].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** Calls back for each schema of a part and puts in its place what that gives. */
function mapSchemas(part: unknown, map: (schema: unknown) => unknown): unknown {
  if (Array.isArray(part)) return part.map((each) => mapSchemas(each, map));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (key === 'schema') return [key, map(value)];
      return [key, key === 'examples' ? value : mapSchemas(value, map)];
    }),
  );
}

/**
 * Writes what stands in many places of an OpenAPI document once: schemas, answers, bodies and parameters. Yields after each path.
 *
 * @param schemas - those that have a name already
 * @returns the paths with references, and the components that these refer to
 */
export function* shareParts<Operation extends OperationParts>(
  paths: Paths<Operation>,
  schemas: Json,
): Generator<undefined, { readonly paths: Paths<Operation>; readonly components: Json }> {
  const shares = new SchemaShares('#/components/schemas/', Object.keys(schemas));
  const responses = new Occurrences('#/components/responses/');
  const parameters = new Occurrences('#/components/parameters/');
  const bodies = new Occurrences('#/components/requestBodies/');
  for (const [name, schema] of Object.entries(schemas)) {
    shares.add(schema, name, name);
    yield;
  }
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      const { parameters: own, ...rest } = operation;
      mapSchemas(rest, (schema) => shares.add(schema, operation.operationId));
      for (const part of Object.values(operation.responses)) responses.count(part);
      for (const part of own ?? []) parameters.count(part);
      if (operation.requestBody !== undefined) bodies.count(operation.requestBody);
    }
    yield;
  }
  const written: Record<string, Record<string, Operation>> = {};
  const write = (part: Json): Json => mapSchemas(part, (schema) => shares.write(schema)) as Json;
  const refer = (parts: Occurrences, part: Json, base: string): Json => {
    const referred = parts.write(part, base);
    return referred === part ? write(part) : referred;
  };
  for (const [path, operations] of Object.entries(paths)) {
    const own: Record<string, Operation> = (written[path] = {});
    for (const [method, operation] of Object.entries(operations)) {
      const { parameters: taken, requestBody, responses: answers } = operation;
      own[method] = {
        ...operation,
        ...(taken === undefined
          ? {}
          : {
              parameters: taken.map((part) => parameters.write(part, pascalCase(String(part['name'])))),
            }),
        ...(requestBody === undefined
          ? {}
          : { requestBody: refer(bodies, requestBody, pascalCase(operation.operationId)) }),
        responses: Object.fromEntries(
          Object.entries(answers).map(([status, part]) => [
            status,
            refer(responses, part, STATUS_NAMES[status] ?? `Status${status}`),
          ]),
        ),
      };
    }
    yield;
  }
  const named: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    named[name] = shares.writeNamed(schema);
    yield;
  }
  const shared = Object.entries({ parameters, requestBodies: bodies, responses }).flatMap(([name, parts]) => {
    const found = parts.named();
    return found === undefined ? [] : [[name, name === 'parameters' ? found : write(found)] as const];
  });
  const all = { ...named, ...shares.definitions() };
  const sorted = Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    paths: written,
    components: { schemas: Object.fromEntries(sorted), ...Object.fromEntries(shared) },
  };
}
