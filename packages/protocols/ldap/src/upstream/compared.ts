import { isUtf8 } from 'node:buffer';
import { Differences } from '@backlot/kit/upstream';
import { foldDn } from '../data/dn.js';
import type { Result } from '../wire/encode.js';
import { redactValue, type ReadEntry } from './read-answer.js';

/** An answer to a request, as far as it is looked at. */
export interface ReadAnswer {
  readonly entries: readonly ReadEntry[];
  readonly references: readonly (readonly string[])[];
  readonly result: Result;
  /** Whether {@link entries} and {@link references} are all that came. */
  readonly isWhole: boolean;
}

/** Where two answers differ, a sentence each; the order of entries, attributes and values makes no difference. */
export function differencesOf(mocked: ReadAnswer, real: ReadAnswer): readonly string[] {
  if (!mocked.isWhole || !real.isWhole) throw new Error('one is longer than 2 MiB');
  const differences = new Differences();
  differences.compare('result code', mocked.result.code, real.result.code);
  const [ours, theirs] = [entriesOf(mocked), entriesOf(real)];
  for (const key of new Set([...ours.keys(), ...theirs.keys()]))
    differences.compare(`entry ${JSON.stringify(key)}`, ours.get(key), theirs.get(key));
  differences.compare('references', referencesOf(mocked), referencesOf(real));
  return differences.found;
}

/** Attributes by the names of their entries, comparable as JSON. */
function entriesOf({ entries }: ReadAnswer): ReadonlyMap<string, unknown> {
  return new Map(
    entries.map(({ dn, attributes }) => [
      foldDn(dn) ?? dn,
      Object.fromEntries(
        attributes.map(({ name, values }) => [
          name.toLowerCase(),
          values.map((value) => textOf(redactValue(name, value))).toSorted(),
        ]),
      ),
    ]),
  );
}

function textOf(value: Buffer): string {
  return isUtf8(value) ? value.toString('utf8') : `base64 ${value.toString('base64')}`;
}

function referencesOf({ references, result }: ReadAnswer): readonly string[] {
  return [...references, ...(result.referral === undefined ? [] : [result.referral])]
    .map((addresses) => addresses.join(' '))
    .toSorted();
}
