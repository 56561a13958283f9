import { signal } from '@preact/signals';
import { draftOf, type Draft } from './drafts.js';
import type { Entry } from './entries.js';
import type { KindSchema, Schema } from './kinds.js';
import type { SchemaSource } from './schema-at.js';

/** What is expected: the name of a kind with the fields of its messages, and how often they come. */
export type Expectation = Readonly<Record<string, unknown>>;

/** A check that is put together. */
export interface Check {
  readonly expect: readonly Expectation[];
  readonly order?: 'strict';
  readonly within?: string;
  readonly [field: string]: unknown;
}

/** What became of a check, as `POST /api/verify` has it. */
export interface Verdict {
  readonly verified: boolean;
  readonly looked_at: number;
  readonly expectations: readonly {
    readonly verified: boolean;
    readonly protocol: string;
    readonly count: number;
    readonly ids: readonly string[];
    readonly problem?: string;
    readonly nearest?: readonly {
      readonly id: string;
      readonly method: string;
      readonly path: string;
      readonly reason: string;
    }[];
  }[];
  readonly unexpected?: readonly { readonly id: string; readonly method: string; readonly path: string }[];
  readonly unexpected_count?: number;
}

/** The check of this page, for as long as it is open. */
export const check = signal<Check>({ expect: [] });

/** Adds an expectation for messages such as one of the log. */
export function expectSuch(entry: Entry, schema: KindSchema): void {
  const fields: Draft = draftOf(entry, schema);
  for (const field of schema.mock.answer) delete fields[field];
  const what = Object.keys(fields).length === 0 ? { mock: entry.matched_id } : fields;
  check.value = {
    ...check.value,
    expect: [...check.value.expect, { [entry.protocol]: what, times: 1 }],
  };
}

/** The fields that say which messages are meant, by kind: those of the kind's mocks, and those of all kinds. */
export function messageSchemas(
  kinds: readonly KindSchema[],
  more: Readonly<Record<string, Schema>> = {},
): SchemaSource {
  const properties: Record<string, Schema> = { ...more };
  const defs: Record<string, Schema> = {};
  for (const { protocol, mock, $defs } of kinds) {
    Object.assign(defs, $defs);
    const own = Object.entries(mock.schema.properties ?? {}).filter(([name]) => mock.fields.includes(name));
    properties[protocol] = {
      type: 'object',
      properties: {
        ...Object.fromEntries(own),
        mock: { type: 'string', description: 'The id of the mock that they matched.' },
        unmatched: { type: 'boolean', description: 'True: those that no mock matched.' },
        status: { type: 'string', description: 'The status of the answer, as a pattern.' },
        fault: { type: 'boolean', description: 'True: those that a fault has hit.' },
      },
    };
  }
  return { schema: { type: 'object', properties }, defs };
}
