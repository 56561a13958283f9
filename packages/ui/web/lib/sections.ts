import type { Action } from './action.js';
import { quoted } from './format.js';
import type { KindSchema, Section } from './kinds.js';
import { mergedProperties } from './schema-at.js';

/** The mocks of a kind as a section, where they are things of their own, such as records. */
function sectionOfMocks({ protocol, mock, $defs: defs }: KindSchema): readonly Section[] {
  const { view, noun, schema } = mock;
  if (view === undefined) return [];
  const known = mergedProperties({ schema, defs });
  const columns = ['id', ...view.columns].map((name) => [name, known[name] ?? {}] as const);
  return [
    {
      section: view.title,
      noun,
      summary: '',
      path: `/api/mocks/${encodeURIComponent(protocol)}`,
      id: 'id',
      schema: { properties: Object.fromEntries(columns) },
      put: { schema, examples: mock.examples },
      remove: true,
      isMocks: true,
    },
  ];
}

/** All that a kind holds as sections: its mocks where they are things of their own, its data, and its lists of other items. */
export function sectionsOf(kind: KindSchema): readonly Section[] {
  const lists = kind.items.map(
    ({ name, noun, summary, path, id, schema, examples, replace, remove }): Section => ({
      section: name,
      noun,
      summary,
      path,
      id,
      schema: { properties: mergedProperties({ schema, defs: kind.$defs }) },
      put: { schema, examples },
      remove,
      items: { replace },
    }),
  );
  return [...sectionOfMocks(kind), ...kind.data, ...lists];
}

/** Where a script finds what holds the entries of a section. */
function holderOf({ protocol }: KindSchema, { section, isMocks, items }: Section): string {
  const kind = `backlot.host.kind('${protocol}')`;
  if (isMocks === true) return `${kind}.mocks`;
  return items === undefined ? `${kind}.data` : `${kind}.itemLists.get('${section}')`;
}

/** The request that puts an entry into a section, in the place of the one with an id where there is that. */
export function saving(kind: KindSchema, section: Section, body: unknown, id?: string): Action {
  const { path, isMocks, items } = section;
  const value = JSON.stringify(body);
  const holder = holderOf(kind, section);
  if (isMocks === true)
    return {
      method: 'POST',
      path,
      body,
      cli: `add ${kind.protocol} ${quoted(value)}`,
      ts: `${holder}.create(${value})`,
    };
  if (items === undefined)
    return { method: 'POST', path, body, ts: `await ${holder}.put('${section.section}', ${value})` };
  return id === undefined
    ? { method: 'POST', path, body, ts: `${holder}.create(${value})` }
    : {
        method: 'PUT',
        path: `${path}/${encodeURIComponent(id)}`,
        body,
        ts: `${holder}.replace(${JSON.stringify(id)}, ${value})`,
      };
}

/** The request that takes an entry out of a section. */
export function removing(kind: KindSchema, section: Section, id: string): Action {
  const { isMocks, items } = section;
  const holder = holderOf(kind, section);
  const value = JSON.stringify(id);
  const request = { method: 'DELETE', path: `${section.path}/${encodeURIComponent(id)}` };
  if (isMocks === true)
    return { ...request, cli: `delete ${kind.protocol} ${quoted(id)}`, ts: `${holder}.remove(${value})` };
  return {
    ...request,
    ts:
      items === undefined
        ? `await ${holder}.remove('${section.section}', ${value})`
        : `${holder}.remove(${value})`,
  };
}
