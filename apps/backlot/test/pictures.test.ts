import { afterAll, beforeAll, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from './command.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SCRIPT = join(ROOT, 'packages/ui/scripts/screenshots.mjs');
const PICTURE = /images\/(page-[\w-]+\.png)/g;

let folder: ReturnType<typeof makeFolder>;
beforeAll(() => {
  folder = makeFolder();
});
afterAll(() => folder.remove());

function picturesOf(place: string): string[] {
  return readdirSync(place)
    .filter((name) => /^page-.*\.png$/.test(name))
    .sort();
}

/** Width and height of a PNG, which stand in its first chunk. */
function sizeOf(file: string): readonly [width: number, height: number] {
  const bytes = readFileSync(file);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

itWithTool(
  'chromium curl redis-cli swaks mosquitto_pub kcat amqp-publish dig',
  'the script makes the pictures of the docs, all of them, of a server that runs',
  async () => {
    const { code, err } = await runTool(process.execPath, [SCRIPT, folder.path]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const made = picturesOf(folder.path);
    expect(made).toEqual(picturesOf(join(ROOT, 'docs/images')));
    for (const name of made) {
      const old = join(ROOT, 'docs/images', name);
      expect([name, ...sizeOf(join(folder.path, name))]).toEqual([name, ...sizeOf(old)]);
    }
    const shown = ['README.md', 'docs/guides/page.md'].flatMap((page) =>
      Array.from(readFileSync(join(ROOT, page), 'utf8').matchAll(PICTURE), ([, name = '']) => name),
    );
    expect(shown.filter((name) => !made.includes(name))).toEqual([]);
    expect(shown.length).toBeGreaterThan(0);
  },
  180_000,
);
