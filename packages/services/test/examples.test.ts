import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = join(dirname(fileURLToPath(import.meta.url)), '..', 'services');
const SERVICES = readdirSync(TOP);
/** Its SDK changes the whole process, so it has tests of its own, in a file of its own. */
const APART = 'sentry';

/** What the pages show: it is compiled with the rest of the tests, and the tests of the pages see that it is the same. */
const examples = new Map<string, Readonly<Record<string, unknown>>>();
for (const service of SERVICES.filter((name) => name !== APART))
  examples.set(
    service,
    (await import(join(TOP, service, 'test/example.ts'))) as Readonly<Record<string, unknown>>,
  );

it.each(SERVICES)('the page of %s has one example in TypeScript, and one for a shell', (service) => {
  const text = readFileSync(join(TOP, service, 'README.md'), 'utf8');
  expect(text.match(/^```ts$/gm)).toHaveLength(1);
  expect(text).toContain(`<!-- from: packages/services/services/${service}/test/example.ts -->`);
  expect(text).toMatch(/^\$ .*\bcurl /m);
});

it.each([...examples.keys()])(
  'the example of %s connects by the variables of the service',
  async (service) => {
    for (const connect of Object.values(examples.get(service) ?? {})) {
      const made: unknown = await (connect as () => unknown)();
      expect(made).toBeDefined();
      await closeAll(made);
    }
  },
);

/** Ends what an SDK has opened. */
async function closeAll(made: unknown): Promise<void> {
  const part = made as Readonly<Record<string, unknown>>;
  const close = ['close', 'disconnect', 'destroy']
    .map((name) => part[name])
    .find((found) => typeof found === 'function') as (() => unknown) | undefined;
  await close?.call(made);
}
