import {
  importFile,
  readImport,
  type Imported,
  type ImportFile,
  type ImportReport,
  type Json,
} from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import type { ImportSample } from '@backlot/conformance';
import { importers, parseTree } from '../../src/index.js';

/** Opens a sample as the app does. */
export function open({ name, content, files }: ImportSample): ImportFile {
  const one = (path: string, bytes: string | Uint8Array): ImportFile =>
    importFile({
      name: path,
      content: bytes,
      ...parseTree(Buffer.from(bytes as never).toString('utf8'), path),
    });
  if (files === undefined) return one(name, content);
  return importFile({
    name,
    content: '',
    files: Object.entries(files).map(([path, bytes]) => one(path, bytes)),
  });
}

/** What is made of a sample. */
export function convert(sample: ImportSample): {
  readonly imported: Imported;
  readonly report: ImportReport;
} {
  return runAtOnce(readImport(open(sample), importers, { seed: 1 }));
}

/** What is made of a text. */
export function convertText(content: string, name = ''): ReturnType<typeof convert> {
  return convert({ format: '', name, content });
}

/** The HTTP mocks that were made. */
export function mocksOf({ imported }: { readonly imported: Imported }): readonly Json[] {
  return (imported.protocols?.['http']?.['mocks'] ?? []) as readonly Json[];
}
