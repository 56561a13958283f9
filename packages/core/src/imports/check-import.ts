import type { Json } from '../contract/given.js';
import type { Host } from '../contract/host.js';
import type { Imported } from '../contract/imports.js';
import type { Kind } from '../contract/kind.js';
import { isBacklotError, type Problem } from '../errors.js';
import { nextTurn } from '../time/turns.js';
import { Slice } from '../time/slices.js';
import { MAX_PROBLEMS } from '../validation/problem-list.js';
import { NotedImport, type ImportNote } from './noted.js';

/** An import with what mocks can be, and notes of what they cannot. */
export interface CheckedImport {
  readonly imported: Imported;
  readonly refused: readonly ImportNote[];
  /** What is wrong with mocks that are taken all the same: the first hundred. */
  readonly warnings: readonly Problem[];
}

/**
 * Takes mocks out of an import that are not valid, such as one with a regular expression that is none here: the rest of a
 * file is worth having.
 *
 * @param host - one with the kinds; it need not be started
 */
export async function checkImport(
  host: Host,
  imported: Imported,
  signal?: AbortSignal,
): Promise<CheckedImport> {
  const { protocols = {} } = imported;
  const notes = new NotedImport();
  const warnings: Problem[] = [];
  const slice = new Slice();
  const blocks: [string, Json][] = [];
  for (const [name, block] of Object.entries(protocols)) {
    const kind = host.kinds.find((one) => one.kind === name);
    const key = kind?.protocol.mocks.configKey ?? '';
    const given = Object.hasOwn(block, key) ? block[key] : undefined;
    if (kind?.enabled !== true || !Array.isArray(given)) {
      blocks.push([name, block]);
      continue;
    }
    const kept: Json[] = [];
    for (const [index, entry] of (given as Json[]).entries()) {
      const problem = problemOf(kind, entry, warnings);
      if (problem === undefined) kept.push(entry);
      else
        notes.refused(
          typeof entry['id'] === 'string' ? entry['id'] : `${name} ${index}`,
          `the ${kind.protocol.mocks.noun} is not valid: ${problem}`,
        );
      if (!slice.isOver) continue;
      await nextTurn();
      signal?.throwIfAborted();
      slice.restart();
    }
    blocks.push([name, { ...block, [key]: kept }]);
  }
  return {
    imported: { ...imported, protocols: Object.fromEntries(blocks) },
    refused: notes.refusals,
    warnings: warnings.slice(0, MAX_PROBLEMS),
  };
}

/** The mocks that entries of a list stand for. */
export function mocksOf({ protocol: { mocks } }: Kind, entries: readonly Json[]): readonly Json[] {
  const { shorthand } = mocks;
  if (shorthand === undefined) return entries;
  return entries.flatMap((entry) =>
    Object.hasOwn(entry, shorthand.field) ? shorthand.expand(entry as never) : [entry],
  );
}

function problemOf(kind: Kind, entry: Json, warnings: Problem[]): string | undefined {
  try {
    for (const mock of mocksOf(kind, [entry])) {
      const found = kind.mocks.check(mock);
      if (warnings.length < MAX_PROBLEMS) warnings.push(...found);
    }
    return undefined;
  } catch (thrown) {
    if (!isBacklotError(thrown) || thrown.code !== 'invalid') throw thrown;
    const [first] = thrown.details ?? [];
    return first === undefined ? thrown.message : `${first.path}: ${first.message}`;
  }
}
