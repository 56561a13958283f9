import { isBacklotError, type Json } from '@backlot/core';
import type { RunningServer } from '../server/start-server.js';
import { CommandError } from './command-error.js';

/** So often a part is left out that does not work here. */
const MOST_TRIES = 200;

/** A server that runs, and what was left out of its configuration, a sentence each. */
export interface StartedRecorded {
  readonly server: RunningServer;
  readonly dropped: readonly string[];
}

/**
 * Starts a server with a configuration that was made somewhere else: what does not work here, such as a file that is not there or a
 * function, is left out, and the rest starts.
 *
 * @param start - starts one with what a configuration file would have
 * @throws CommandError when it does not start for another reason
 */
export async function startRecorded(
  configuration: Json,
  start: (settings: Json) => Promise<RunningServer>,
): Promise<StartedRecorded> {
  const settings = structuredClone(configuration) as Record<string, unknown>;
  const dropped: string[] = [];
  for (let tries = 0; ; tries += 1) {
    try {
      return { server: await start(settings), dropped };
    } catch (thrown) {
      const places = tries < MOST_TRIES ? placesOf(thrown, settings) : [];
      if (places.length === 0) throw thrown instanceof Error ? new CommandError(thrown.message) : thrown;
      // From behind, so that the numbers of those before stay what they are.
      for (const { path, message } of places.toReversed()) {
        const what = leaveOut(settings, path);
        if (what !== undefined) dropped.push(`${what} is left out: ${message.slice(0, 300)}`);
      }
    }
  }
}

interface Place {
  readonly path: readonly string[];
  readonly message: string;
}

/** The parts that an error is about: items of lists and blocks of kinds, each once, in the order of their places. */
function placesOf(thrown: unknown, settings: Json): readonly Place[] {
  if (!isBacklotError(thrown)) return [];
  const found = new Map<string, Place>();
  for (const { path, message } of thrown.details ?? []) {
    const steps = path
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    // A host calls the blocks of kinds settings.
    const part = partOf(steps[0] === 'settings' ? ['protocols', ...steps.slice(1)] : steps, settings);
    if (part !== undefined && !found.has(part.join('/'))) found.set(part.join('/'), { path: part, message });
  }
  if (found.size > 0) return [...found.values()].toSorted((a, b) => compare(a.path, b.path));
  const kinds = Object.keys(settings['protocols'] ?? {});
  const named = kinds.find((kind) => new RegExp(`(?:^|\\W)${kind}(?:\\W|$)`, 'i').test(thrown.message));
  return named === undefined ? [] : [{ path: ['protocols', named], message: thrown.message }];
}

/** The part that is left out for a place: an item of a list, else the block. */
function partOf(steps: readonly string[], settings: Json): readonly string[] | undefined {
  const [top = ''] = steps;
  if (!Object.hasOwn(settings, top)) return undefined;
  const depth = top === 'protocols' ? 4 : 2;
  let value: unknown = settings;
  for (const [index, step] of steps.slice(0, depth).entries()) {
    if (Array.isArray(value)) return steps.slice(0, index + 1);
    value = (value as Json | undefined)?.[step];
  }
  return steps.slice(0, 2);
}

function compare(one: readonly string[], other: readonly string[]): number {
  const [a, b] = [one.slice(0, -1).join('/'), other.slice(0, -1).join('/')];
  return a === b ? Number(one.at(-1)) - Number(other.at(-1)) || 0 : a < b ? -1 : 1;
}

/** @returns what it was, for people; undefined where it is not there */
function leaveOut(settings: Record<string, unknown>, path: readonly string[]): string | undefined {
  let parent: unknown = settings;
  for (const step of path.slice(0, -1)) parent = (parent as Json)[step];
  const name = path.at(-1) ?? '';
  if (Array.isArray(parent)) {
    const [item] = parent.splice(Number(name), 1) as { id?: string }[];
    return `${path.slice(0, -1).join('.')} ${item?.id ?? name}`;
  }
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name)) return undefined;
  delete (parent as Record<string, unknown>)[name];
  return path.join('.');
}
