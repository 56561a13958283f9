import type { Action } from './action.js';
import { quoted } from './format.js';
import type { KindSchema, Section } from './kinds.js';
import { mergedProperties } from './schema-at.js';

/** A kind whose mocks are things of its own, such as records, with them as a section. */
export function withMocks(kind: KindSchema): KindSchema {
  const { protocol, mock, data } = kind;
  const { view, noun, schema } = mock;
  if (view === undefined) return kind;
  const known = mergedProperties({ schema, defs: kind.$defs });
  const columns = ['id', ...view.columns].map((name) => [name, known[name] ?? {}] as const);
  const section: Section = {
    section: view.title,
    noun,
    summary: '',
    path: `/api/mocks/${encodeURIComponent(protocol)}`,
    id: 'id',
    schema: { properties: Object.fromEntries(columns) },
    put: { schema, examples: mock.examples },
    remove: true,
    isMocks: true,
  };
  return { ...kind, data: [section, ...data] };
}

/** The request that puts an entry into a section. */
export function saving({ protocol }: KindSchema, { section, path, isMocks }: Section, body: unknown): Action {
  const value = JSON.stringify(body);
  return isMocks === true
    ? {
        method: 'POST',
        path,
        body,
        cli: `add ${protocol} ${quoted(value)}`,
        ts: `backlot.host.kind('${protocol}').mocks.create(${value})`,
      }
    : {
        method: 'POST',
        path,
        body,
        ts: `await backlot.host.kind('${protocol}').data.put('${section}', ${value})`,
      };
}

/** The request that takes an entry out of a section. */
export function removing({ protocol }: KindSchema, { section, path, isMocks }: Section, id: string): Action {
  const value = JSON.stringify(id);
  const at = `${path}/${encodeURIComponent(id)}`;
  return isMocks === true
    ? {
        method: 'DELETE',
        path: at,
        cli: `delete ${protocol} ${quoted(id)}`,
        ts: `backlot.host.kind('${protocol}').mocks.remove(${value})`,
      }
    : {
        method: 'DELETE',
        path: at,
        ts: `await backlot.host.kind('${protocol}').data.remove('${section}', ${value})`,
      };
}
