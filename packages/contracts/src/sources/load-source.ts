import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { invalid, messageOf, nextTurn, type ImportFile } from '@backlot/core/plugin';
import { isTree } from '../shared/values.js';
import { fetchText, MOST_BYTES } from './fetch-text.js';
import { parseTree } from './tree.js';

/** Files of one contract. */
const MOST_FILES = 500;
/** Values that are looked at for references to other files before others are let in. */
const AT_ONCE = 20_000;

/** A file with the files that it refers to. */
export interface Source {
  readonly file: ImportFile;
  readonly tree: unknown;
  /** The text of the file itself. */
  readonly text: string;
  /** The same for the same files. */
  readonly digest: string;
}

interface Parsed {
  readonly text: string;
  readonly tree: unknown;
  readonly digest: string;
}

/** What was parsed and is still in use, by its digest: hosts that are made of the same settings share it. */
const parsed = new Map<string, WeakRef<Parsed>>();

/**
 * Reads a file, and the files that its references lead to, from the disk or by HTTP; nothing is expanded.
 *
 * @param file - a path or an url
 * @throws BacklotError `invalid` when one cannot be read, or is neither JSON nor YAML
 */
export async function loadSource(file: string): Promise<Source> {
  return parseSource(file, await readText(file));
}

/** As {@link loadSource}, for a text that was read already. @param at - where it stands, from which its references lead */
export async function parseSource(at: string, text: string): Promise<Source> {
  const files = new Map<string, ImportFile>();
  const digests: string[] = [];
  const waiting: { readonly at: string; readonly text?: string }[] = [{ at, text }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at: place } = next;
    if (files.has(place)) continue;
    if (files.size >= MOST_FILES) throw invalid(`the contract refers to more than ${MOST_FILES} files`);
    const whole = parse(place, next.text ?? (await readText(place)));
    digests.push(whole.digest);
    files.set(place, sourceFile(place, whole, files));
    for (const reference of await outwardReferences(whole.tree))
      waiting.push({ at: locate(reference, place) });
  }
  const root = files.get(at) as ImportFile;
  return { file: root, tree: root.tree, text, digest: digests.join(' ') };
}

function sourceFile(place: string, { tree }: Parsed, files: ReadonlyMap<string, ImportFile>): ImportFile {
  return {
    ...{ name: place, bytes: new Uint8Array(), text: '', tree, fault: '', isFolder: false, files: [] },
    near: (path) => files.get(locate(path, place)),
  };
}

function parse(place: string, text: string): Parsed {
  const digest = createHash('sha256').update(text).digest('base64');
  const known = parsed.get(digest)?.deref();
  if (known !== undefined) return known;
  const { tree, fault } = parseTree(text, isUrl(place) ? new URL(place).pathname : place);
  if (tree === undefined)
    throw invalid(`"${place}" cannot be used: ${fault ?? 'it is neither JSON nor YAML'}`);
  const made = { text: '', tree, digest };
  for (const [other, reference] of parsed) if (reference.deref() === undefined) parsed.delete(other);
  parsed.set(digest, new WeakRef(made));
  return made;
}

/** The files that references of a document name. */
async function outwardReferences(tree: unknown): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const waiting: unknown[] = [tree];
  let count = 0;
  while (waiting.length > 0) {
    const value = waiting.pop();
    count += 1;
    if (count % AT_ONCE === 0) await nextTurn();
    if (Array.isArray(value)) {
      for (const each of value as unknown[]) if (typeof each === 'object') waiting.push(each);
    } else if (isTree(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (name === '$ref' && typeof member === 'string' && !member.startsWith('#') && member !== '')
          found.add(member.split('#', 1)[0] ?? '');
        // What stands in examples is data.
        else if (typeof member === 'object' && name !== 'example' && name !== 'examples')
          waiting.push(member);
      }
    }
  }
  return found;
}

function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

function locate(reference: string, from: string): string {
  if (isUrl(reference)) return reference;
  if (isUrl(from)) return new URL(reference, from).href;
  let path = reference;
  try {
    path = decodeURIComponent(reference);
  } catch {
    // It is the name of a file as it stands.
  }
  return resolve(dirname(from), path);
}

/**
 * Reads the text of a file from the disk or by HTTP, for formats of which a reference is no url.
 *
 * @returns the text, and a digest that is the same for the same text
 * @throws BacklotError `invalid` when it cannot be read
 */
export async function loadText(file: string): Promise<{ readonly text: string; readonly digest: string }> {
  const text = await readText(file);
  return { text, digest: createHash('sha256').update(text).digest('base64') };
}

async function readText(place: string): Promise<string> {
  try {
    if (isUrl(place)) return await fetchText(new URL(place));
    const { size } = await stat(place);
    if (size > MOST_BYTES) throw new Error(`it is longer than ${MOST_BYTES / 1024 / 1024} MiB`);
    return await readFile(place, 'utf8');
  } catch (thrown) {
    throw invalid(`"${place}" cannot be read: ${messageOf(thrown)}`);
  }
}
