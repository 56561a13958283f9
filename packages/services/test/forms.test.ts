import { expect, it } from '@jest/globals';
import { startBacklot } from '@backlot/testing';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = join(dirname(fileURLToPath(import.meta.url)), '..', 'services');

// By name their form is not checked at a start, because it is checked here: by a path a service is like anybody's.
it('mocks, collections and scenarios of all services have the form that those of users must have', async () => {
  const names = readdirSync(TOP);
  const backlot = await startBacklot({ services: names.map((name) => join(TOP, name, 'service.yaml')) });
  try {
    const ids = backlot.host
      .kind('http')
      .mocks.list()
      .map(({ id }) => id);
    expect(names.filter((name) => !ids.some((id) => id.startsWith(`${name}:`)))).toEqual([]);
  } finally {
    await backlot.stop();
  }
});
