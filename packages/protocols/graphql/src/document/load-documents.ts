import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { invalid, messageOf } from '@backlot/core/plugin';
import { readDocument } from './read-document.js';

/** The most bytes of a file of documents. */
const MAX_SIZE = 16 * 1024 * 1024;
const AT = '/persisted_documents';

/**
 * Reads the documents that clients may name by their ids: a JSON object of ids and documents, as GraphQL Code Generator,
 * Relay and others write it, or the manifest of Apollo, which has them in `operations`.
 *
 * @throws BacklotError `invalid` when the file cannot be read, or one of its documents is none
 */
export function loadDocuments(path: string | undefined): ReadonlyMap<string, string> {
  const documents = new Map<string, string>();
  if (path === undefined) return documents;
  for (const [id, text] of entriesOf(readJson(path), path)) {
    try {
      if (typeof text !== 'string') throw new Error('it is no text');
      readDocument(text);
      documents.set(id, text);
    } catch (thrown) {
      fail(`the document ${JSON.stringify(id)} of "${path}" cannot be read: ${messageOf(thrown)}`);
    }
  }
  return documents;
}

function readJson(path: string): unknown {
  const file = resolve(path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true)
    fail(`"${path}" is not a file; relative paths start from the folder of the configuration`);
  if (stat.size > MAX_SIZE) fail(`"${path}" is larger than ${MAX_SIZE / 1024 / 1024} MiB`);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    return fail(`"${path}" is not JSON: ${messageOf(thrown)}`);
  }
}

function entriesOf(value: unknown, path: string): (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail(`"${path}" must hold an object with documents by their ids, or a manifest with "operations"`);
  const { operations } = value as { operations?: unknown };
  if (!Array.isArray(operations)) return Object.entries(value);
  return operations.map(
    (one: { id?: unknown; body?: unknown } | null) => [String(one?.id), one?.body] as const,
  );
}

function fail(message: string): never {
  throw invalid(message, [{ path: AT, message }]);
}
