import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { createManagementServer } from '@backlot/management';
import { smtp } from '@backlot/smtp';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../../clients/python');

itWithTool(
  'python3:pytest',
  'the client for Python passes its tests, each in a space of its own',
  async () => {
    // What it does not allow is only warned of.
    const contract = { file: join(FOLDER, 'tests/greetings.json'), mode: 'warn' as const };
    const host = await createHost({ protocols: [http, smtp], settings: { http: { contract } } });
    await host.start();
    const server = createManagementServer(host);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { out, code } = await runTool(
        PYTHON,
        ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'backlot.pytest_plugin', 'tests'],
        {
          cwd: FOLDER,
          env: {
            PYTHONPATH: join(FOLDER, 'src'),
            PYTHONDONTWRITEBYTECODE: '1',
            BACKLOT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          },
        },
      );
      expect([code, out]).toEqual([0, expect.stringMatching(/^\d+ passed/m)]);
      // Nothing of a test is left, in the server itself either.
      expect(host.spaces.list()).toEqual([]);
      expect(host.kind('http').mocks.list()).toEqual([]);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await host.stop(0);
    }
  },
  120_000,
);
