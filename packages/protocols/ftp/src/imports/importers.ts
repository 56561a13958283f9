import { isUtf8 } from 'node:buffer';
import { invalid, type Imported, type Importer, type Json } from '@backlot/core/plugin';

const MAX_FILES = 20_000;
/** A file of more bytes is no mock. */
const MAX_BYTES = 3 * 1024 * 1024;

/** A folder: its files become files of the server, below the same folders. */
const folder: Importer = {
  format: 'folder',
  title: 'Folder of files',
  detect: ({ isFolder, files }) => (isFolder && files.length > 0 ? 'likely' : undefined),
  *convert({ isFolder, files }, notes): Generator<undefined, Imported, undefined> {
    if (!isFolder) throw invalid('it is no folder');
    const entries: Json[] = [];
    for (const { name, bytes, text } of files.slice(0, MAX_FILES)) {
      yield;
      if (bytes.length > MAX_BYTES) {
        notes.refused(name, `a file of more than ${MAX_BYTES} bytes is left out`);
        continue;
      }
      const isText = isUtf8(bytes) && !bytes.includes(0);
      entries.push({
        id: name,
        path: `/${name}`,
        ...(isText
          ? { content: text.replaceAll('{{', '{{raw "{{"}}') }
          : { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' }),
      });
    }
    if (files.length > MAX_FILES) notes.refused('', `files beyond ${MAX_FILES} are left out`);
    return { protocols: { ftp: { files: entries } } };
  },
};

/** The formats that become files. */
export const importers: readonly Importer[] = [folder];
