import { isDeepStrictEqual } from 'node:util';
import type { SnapshotChange, SnapshotChanges } from '../contract/host.js';

/** One part of what a snapshot holds: values by id, those of captured messages without the values. */
export interface SnapshotSection {
  readonly part: SnapshotChange['part'];
  /** The kind, the list or the collection; absent where there is one of it alone. */
  readonly name?: string;
  readonly values: ReadonlyMap<string, unknown>;
  /** Whether only the ids are told. */
  readonly isBare?: boolean;
}

/** How many changes are told; the others are counted. */
export const MAX_CHANGES = 1000;
/** How many values are compared before others may be let in. */
const STEP = 200;

/** Compares two snapshots part by part, in steps. Values never change, so most are the very same. */
export function* diffSteps(
  before: Iterable<SnapshotSection>,
  after: Iterable<SnapshotSection>,
): Generator<undefined, SnapshotChanges> {
  const keyOf = ({ part, name = '' }: SnapshotSection): string => `${part} ${name}`;
  const olds = new Map(Array.from(before, (section) => [keyOf(section), section]));
  const news = new Map(Array.from(after, (section) => [keyOf(section), section]));
  const changes: SnapshotChange[] = [];
  let more = 0;
  let looked = 0;
  for (const key of new Set([...olds.keys(), ...news.keys()])) {
    const old = olds.get(key);
    const now = news.get(key);
    const section = old ?? now;
    if (section === undefined) continue;
    const { part, name, isBare = false } = section;
    const tell = (change: SnapshotChange['change'], id: string, was: unknown, is: unknown): void => {
      if (changes.length >= MAX_CHANGES) more += 1;
      else
        changes.push({
          part,
          ...(name === undefined ? {} : { name }),
          id,
          change,
          ...(!isBare && change !== 'added' ? { before: was } : {}),
          ...(!isBare && change !== 'removed' ? { after: is } : {}),
        });
    };
    for (const [id, was] of old?.values ?? []) {
      const is = now?.values.get(id);
      if (now?.values.has(id) !== true) tell('removed', id, was, undefined);
      else if (was !== is && !isDeepStrictEqual(was, is)) tell('changed', id, was, is);
      looked += 1;
      if (looked % STEP === 0) yield;
    }
    for (const [id, is] of now?.values ?? []) {
      if (old?.values.has(id) !== true) tell('added', id, undefined, is);
      looked += 1;
      if (looked % STEP === 0) yield;
    }
  }
  return { changes, more };
}
