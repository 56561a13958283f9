import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listInstalled, readTarballs, sizeOf } from '@backlot/tooling/packed';
import { ROOT } from '../docs/page.js';
import { PACKED } from './place.js';

const PAGE = 'docs/reference/packages.md';
const UNITS: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6 };

/** The cells after the first of each row whose first cell is code, by that code. */
function readRows(): Map<string, string[]> {
  const lines = readFileSync(join(ROOT, PAGE), 'utf8').split('\n');
  return new Map(
    lines.flatMap((line): [string, string[]][] => {
      const [, first = '', ...cells] = line.split('|').map((cell) => cell.trim());
      return first.startsWith('`') ? [[first.replaceAll('`', ''), cells]] : [];
    }),
  );
}

/** What is measured must be near what the page says, so that it is written anew when it no longer is true. */
function expectNear(text: string | undefined, bytes: number): void {
  const [value = '', unit = ''] = text?.split(' ') ?? [];
  const listed = Number(value) * (UNITS[unit] ?? Number.NaN);
  expect(listed).toBeGreaterThan(bytes * 0.75 - 5000);
  expect(listed).toBeLessThan(bytes * 1.25 + 5000);
}

it(`${PAGE} says how large each package is; "pnpm sizes" writes it`, () => {
  const rows = readRows();
  const tarballs = readTarballs(join(PACKED, 'tarballs'));
  for (const { manifest, size, unpackedSize } of tarballs) {
    const [packed, unpacked] = rows.get(manifest.name) ?? [];
    expectNear(packed, size);
    expectNear(unpacked, unpackedSize);
  }
  const known = tarballs.map(({ manifest }) => manifest.name);
  expect([...rows.keys()].filter((name) => !name.startsWith('npm ')).sort()).toEqual(known.sort());
});

it(`${PAGE} says what is installed with the whole command`, () => {
  const [count, size] = readRows().get('npm install backlot') ?? [];
  const app = join(PACKED, 'app');
  expect(Math.abs(Number(count) - listInstalled(app).length)).toBeLessThan(25);
  expectNear(size, sizeOf(join(app, 'node_modules')));
});
