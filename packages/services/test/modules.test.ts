import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';

const TOP = join(dirname(fileURLToPath(import.meta.url)), '..', 'services');

interface Named {
  readonly module: string;
  readonly export?: string;
}

/** The functions that a service names, wherever they stand. */
function* namesIn(value: unknown): Generator<Named> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'respond' && typeof inner === 'object') yield inner as Named;
    else yield* namesIn(inner);
  }
}

// They are loaded with the first call: a name that is wrong is found here, and not when a server starts.
it.each(readdirSync(TOP))('the functions that %s names are there', async (service) => {
  const folder = join(TOP, service);
  const names = [...namesIn(parse(readFileSync(join(folder, 'service.yaml'), 'utf8')))];
  for (const { module, export: name = 'default' } of names) {
    const place = module.startsWith('.') ? pathToFileURL(join(folder, module)).href : module;
    const exported = (await import(place)) as Record<string, unknown>;
    expect([module, name, typeof exported[name]]).toEqual([module, name, 'function']);
  }
});
