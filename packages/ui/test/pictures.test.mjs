import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { listPictures, LOOKS } from '../scripts/scenes.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const IMAGES = `${ROOT}docs/images/`;
/** The pages that show pictures. */
const PAGES = ['README.md', 'docs/guides/page.md'];
const PICTURE = /images\/(page-[\w-]+\.png)/g;

// The pictures themselves are made at a release, see CONTRIBUTING.md: a browser that makes all of them takes half a minute.
it('the script makes the pictures that there are, in their sizes', () => {
  const made = listPictures();
  const there = readdirSync(IMAGES).filter((name) => /^page-.*\.png$/.test(name));
  expect(made.map(({ file }) => file).toSorted()).toEqual(there.toSorted());
  for (const { file, look } of made) {
    // Width and height of a PNG stand in its first chunk.
    const bytes = readFileSync(IMAGES + file);
    const { viewport, deviceScaleFactor } = LOOKS[look];
    const size = [viewport.width, viewport.height].map((length) => length * deviceScaleFactor);
    expect([file, bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([file, ...size]);
  }
});

it('the pages show pictures that the script makes, and each scene is shown', () => {
  const shown = PAGES.flatMap((page) =>
    Array.from(readFileSync(ROOT + page, 'utf8').matchAll(PICTURE), ([, name = '']) => name),
  );
  const made = listPictures();
  expect(shown.filter((name) => !made.some(({ file }) => file === name))).toEqual([]);
  const scenes = new Set(made.filter(({ file }) => shown.includes(file)).map(({ scene }) => scene));
  expect([...new Set(made.map(({ scene }) => scene))].filter((scene) => !scenes.has(scene))).toEqual([]);
});
