import type { Entry } from './entries.js';
import type { KindSchema } from './kinds.js';

/** A mock that is worked on. */
export type Draft = Record<string, unknown>;

/** Longer bodies, and those of several lines, are left out of drafts: mocks rarely ask for a whole body. */
const MAX_BODY = 60;

function at(entry: unknown, pointer: string): unknown {
  let value: unknown = entry;
  for (const step of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function isUseful(value: unknown, pointer: string): boolean {
  if (value === undefined || value === '' || value === null) return false;
  if (pointer.startsWith('/headers')) return pointer !== '/headers';
  if (pointer !== '/body') return typeof value !== 'object';
  return typeof value === 'string' && value.length <= MAX_BODY && !value.includes('\n');
}

/** A mock for messages such as one of the log; what it answers is taken of the first example of the kind. */
export function draftOf(entry: Entry, { mock }: KindSchema): Draft {
  const draft: Draft = {};
  for (const [field, pointer] of Object.entries(mock.draft)) {
    if (pointer === '') draft[field] = { method: entry.method, path: entry.path };
    else {
      const value = at(entry, pointer);
      if (isUseful(value, pointer) && !Object.values(draft).includes(value)) draft[field] = value;
    }
  }
  const [example = {}] = mock.examples;
  for (const field of mock.answer) if (example[field] !== undefined) draft[field] = example[field];
  return draft;
}

/** What a reason says: which field, what it got and what the mock wants. */
export interface Miss {
  readonly field: string;
  readonly got: string;
  readonly want: string;
}

/** The parts of a reason such as `path: got "/x", want "/cart"`; undefined for one of another form. */
export function missOf(reason: string): Miss | undefined {
  const found = /^([\w.[\]-]+(?: [\w.-]+)?): got (.*?), want (.*)$/s.exec(reason);
  if (found === null) return undefined;
  const [, field = '', got = '', want = ''] = found;
  return { field, got, want };
}

/** Where the field of a reason stands in a mock: a list of keys. */
function placeOf(mock: Draft, field: string): string[] | undefined {
  const steps = field.split(/[.\s]/);
  const find = (value: unknown, keys: readonly string[]): string[] | undefined => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const [first = '', ...rest] = keys;
    const inner = (value as Record<string, unknown>)[first];
    if (inner === undefined) return undefined;
    return rest.length === 0 ? [first] : [first, ...(find(inner, rest) ?? [])];
  };
  const direct = find(mock, steps);
  if (direct !== undefined) return direct;
  for (const [key, value] of Object.entries(mock)) {
    const found = find(value, steps);
    if (found !== undefined) return [key, ...found];
  }
  return undefined;
}

/** A mock that no longer asks for the field of a reason; undefined when the mock has no such field. */
export function loosened(mock: Draft, field: string): Draft | undefined {
  const place = placeOf(mock, field);
  if (place === undefined) return undefined;
  const copy = structuredClone(mock);
  let within: Record<string, unknown> = copy;
  for (const key of place.slice(0, -1)) within = within[key] as Record<string, unknown>;
  delete within[place.at(-1) ?? ''];
  return copy;
}

/** A mock that asks for what the message had in the field of a reason, in place of what it wants. */
export function fitted(mock: Draft, miss: Miss): Draft | undefined {
  const place = placeOf(mock, miss.field);
  let got: unknown;
  try {
    got = JSON.parse(miss.got);
  } catch {
    return undefined;
  }
  if (place === undefined || got === null || got === undefined) return undefined;
  const copy = structuredClone(mock);
  let within: Record<string, unknown> = copy;
  for (const key of place.slice(0, -1)) within = within[key] as Record<string, unknown>;
  within[place.at(-1) ?? ''] = got;
  return copy;
}
