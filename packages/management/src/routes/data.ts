import type { DataDeclaration, DataEntry, Kind } from '@backlot/core';
import { Type, runInSlices } from '@backlot/core/plugin';
import { dataChangeRoutes } from './data-changes.js';
import { fieldFilters, type FieldTest } from './field-filters.js';
import {
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  paramOf,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';
import { filteredWaitRoute } from './wait-for.js';

const tag = 'Data';

/** One section in the list of those that a kind has. */
export const DataSectionSchema = Type.Object({
  section: Type.String({ description: 'Its name in paths.' }),
  noun: Type.String({ description: 'What one entry is.' }),
  summary: Type.String(),
  entries: Type.Integer({ description: 'How many there are.' }),
});

/** What the service of a kind holds: its sections, their entries, and waiting for them. None for a kind without data. */
export function dataRoutes(kind: Kind): ManagementRoute[] {
  const { data, meta } = kind.protocol;
  if (data === undefined) return [];
  const path = `/api/${kind.kind}/data`;
  return [
    {
      method: 'GET',
      path,
      name: `list${pascalCase(kind.kind)}Data`,
      tag,
      summary: `What ${meta.title} holds: its sections, and how many entries they have.`,
      responses: { 200: answers('The sections.', Type.Array(DataSectionSchema)), 503: NOT_ENABLED },
      handle() {
        checkEnabled(kind);
        return {
          list: Object.entries(data).map(([section, { noun, summary }]) => {
            return { section, noun, summary, entries: kind.data.size(section) };
          }),
        };
      },
    },
    ...Object.entries(data).flatMap(([section, declared]) =>
      sectionRoutes(kind, section, `${path}/${section}`, declared),
    ),
  ];
}

function sectionRoutes(
  kind: Kind,
  section: string,
  path: string,
  declared: DataDeclaration,
): ManagementRoute[] {
  const { noun, summary, schema, idField = 'id' } = declared;
  const name = `${pascalCase(kind.kind)}${pascalCase(section)}`;
  const filters = fieldFilters(schema);
  const unknown = fails(`There is no such ${noun}.`);
  const id = { [idField]: Type.String({ description: `The \`${idField}\` of the ${noun}.` }) };
  const one = `${path}/{${idField}}`;
  return [
    {
      method: 'GET',
      path,
      name: `list${name}`,
      tag,
      summary,
      description: 'Every field is a filter: its value is a pattern.',
      query: filters.query,
      pages: { idField, cutsTexts: true },
      responses: {
        200: answers('The entries.', Type.Array(schema)),
        400: fails('A query parameter is not known or not valid.'),
        503: NOT_ENABLED,
      },
      async handle({ query, signal }, host) {
        checkEnabled(kind);
        const list = kind.data.entries(section);
        const test = filters.compile(query, host.clock.now());
        // `after` may name an entry that is not shown, and one may go before it is written.
        const fitting = test && (await runInSlices(idsOfFitting(list, test), signal));
        return {
          list: shownEntries(kind.data.entries(section), fitting),
          idOf: (entry: ShownEntry) => entry.id,
          show: (entry: ShownEntry) => entry.shown,
          where: (entry: ShownEntry) => entry.isShown && entry.shown !== undefined,
        };
      },
    },
    {
      method: 'GET',
      path: one,
      name: `get${name}Entry`,
      tag,
      summary: `One ${noun}.`,
      params: id,
      responses: { 200: answers(`The ${noun}.`, schema), 404: unknown, 503: NOT_ENABLED },
      handle(request) {
        checkEnabled(kind);
        return { body: kind.data.get(section, paramOf(request, idField)) };
      },
    },
    filteredWaitRoute(kind, {
      path: `${path}/wait`,
      name: `waitFor${name}`,
      tag,
      summary: `Waits until so many entries fit, those that are there included; a \`count\` of 0 waits until none does.`,
      what: 'entries',
      least: 0,
      schema,
      filters,
      wait: (...given) => kind.data.wait(section, ...given),
    }),
    ...dataChangeRoutes(kind, section, { path, tag, declared }),
  ];
}

/** An entry of a list; what is shown of it is made when it is its turn, once. */
class ShownEntry {
  readonly id: string;
  readonly isShown: boolean;
  readonly #entry: DataEntry;
  #made: { readonly value: unknown } | undefined;

  constructor(entry: DataEntry, isShown: boolean) {
    this.id = entry.id;
    this.isShown = isShown;
    this.#entry = entry;
  }

  get shown(): unknown {
    this.#made ??= { value: this.#entry.read() };
    return this.#made.value;
  }
}

function* shownEntries(
  entries: Iterable<DataEntry>,
  fitting: ReadonlySet<string> | undefined,
): Generator<ShownEntry> {
  for (const entry of entries) yield new ShownEntry(entry, fitting?.has(entry.id) ?? true);
}

function* idsOfFitting(entries: Iterable<DataEntry>, test: FieldTest): Generator<void, ReadonlySet<string>> {
  const fitting = new Set<string>();
  for (const entry of entries) {
    const shown = entry.read();
    if (shown !== undefined && (yield* test(shown))) fitting.add(entry.id);
    yield;
  }
  return fitting;
}
