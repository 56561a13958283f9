import { afterEach, expect, it } from '@jest/globals';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileWatch, lookAt } from '../src/config/watch-files.js';
import { makeFolder } from './command.js';

let folder: ReturnType<typeof makeFolder>;
let watch: FileWatch | undefined;
afterEach(() => {
  watch?.close();
  folder.remove();
});

it('reads again what was removed after it was read, also when other files are looked at from then on', async () => {
  folder = makeFolder();
  const [one, two] = ['one.yaml', 'two.yaml'].map((name) => join(folder.path, name)) as [string, string];
  for (const file of [one, two]) writeFileSync(file, 'a: 1\n');
  const watched = { files: [one, two], folders: [folder.path] };
  const reads: string[][] = [];
  await new Promise<void>((resolve) => {
    const read = (): typeof watched => {
      const files = [one, two].filter((file) => lookAt({ files: [file], folders: [] }).get(file) !== '-');
      reads.push(files);
      return { files, folders: [folder.path] };
    };
    watch = new FileWatch(
      watched,
      lookAt(watched),
      () => {
        const found = read();
        // Before anybody looks at what was read.
        rmSync(two, { force: true });
        if (reads.length === 2) resolve();
        return Promise.resolve(found);
      },
      () => undefined,
    );
    rmSync(one);
  });
  expect(reads).toEqual([[two], []]);
});
