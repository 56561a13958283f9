import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = join(dirname(fileURLToPath(import.meta.url)), '..', 'services');
const LARGEST = 5;

/** How much a service is: the bytes of what answers. */
function sizeOf(service: string): number {
  return readdirSync(join(TOP, service), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('test') && /\.(mjs|yaml|proto)$/.test(file))
    .reduce((sum, file) => sum + statSync(join(TOP, service, file)).size, 0);
}

/** How many tests a service has; the cases of a table are one. */
function countOf(service: string): number {
  return readdirSync(join(TOP, service, 'test'))
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => [
      ...readFileSync(join(TOP, service, 'test', file), 'utf8').matchAll(/^\s*it(?:WithTool|\.each)?\(/gm),
    ]).length;
}

const SERVICES = readdirSync(TOP).sort((a, b) => sizeOf(b) - sizeOf(a));

it.each([
  ...SERVICES.slice(0, LARGEST).map((name) => [name, 20] as const),
  ...SERVICES.slice(LARGEST).map((name) => [name, 8] as const),
])('%s has at least %d tests', (service, least) => {
  expect(countOf(service)).toBeGreaterThanOrEqual(least);
});
