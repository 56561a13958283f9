import type { ApiClient } from './api-client.js';
import type { Api, Item } from './apply-list.js';

/** A change that would be made. */
export interface PlannedChange {
  readonly path: string;
  /** What there is; absent for what is new. */
  readonly before?: unknown;
  /** What there would be; absent for what would be removed. */
  readonly after?: unknown;
}

/** Reads from a server, and notes what is changed: instead of changing it, or beside that. */
export class Recorder implements Api {
  readonly changes: PlannedChange[] = [];
  readonly #api: ApiClient;
  readonly #changes: boolean;

  /** @param changes - whether the server is changed as well */
  constructor(api: ApiClient, changes = false) {
    this.#api = api;
    this.#changes = changes;
  }

  get(path: string): Promise<unknown> {
    return this.#api.get(path);
  }

  post(path: string, body?: unknown): Promise<unknown> {
    this.changes.push({ path, after: body });
    return this.#changes ? this.#api.post(path, body) : Promise.resolve(body);
  }

  async put(path: string, body: unknown): Promise<unknown> {
    this.changes.push({ path, before: await this.#api.get(path), after: body });
    return this.#changes ? this.#api.put(path, body) : body;
  }

  async delete(path: string): Promise<unknown> {
    this.changes.push({ path, before: await this.#api.get(path) });
    return this.#changes ? this.#api.delete(path) : undefined;
  }
}

const HIDDEN: readonly string[] = ['active', 'problems'];

/** A change as lines: what it is about, and below that what goes (`-`) and what comes (`+`), field by field. */
export function describeChange({ path, before, after }: PlannedChange): string[] {
  const name = decodeURIComponent(path.replace(/^\/api\/(?:mocks\/)?/, ''));
  if (before === undefined) return [`+ ${name} ${JSON.stringify(after)}`];
  if (after === undefined) return [`- ${name} ${JSON.stringify(before)}`];
  const was = fieldsOf(before);
  const is = fieldsOf({ id: (before as Item)['id'], ...(after as Item) });
  const lines = [...new Set([...was.keys(), ...is.keys()])].flatMap((field) => {
    const [old, next] = [was.get(field), is.get(field)];
    if (old === next) return [];
    return [
      ...(old === undefined ? [] : [`  - ${field}: ${old}`]),
      ...(next === undefined ? [] : [`  + ${field}: ${next}`]),
    ];
  });
  return [`~ ${name}`, ...lines];
}

/** The values of a tree by their paths, as in `response.body`. */
function fieldsOf(value: unknown, path = '', fields = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return value === undefined ? fields : fields.set(path, JSON.stringify(value));
  for (const [name, inner] of Object.entries(value)) {
    if (path === '' && HIDDEN.includes(name)) continue;
    const at = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    fieldsOf(inner, at, fields);
  }
  return fields;
}
