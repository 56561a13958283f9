import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { createManagementServer } from '@backlot/management';

const TEST = dirname(fileURLToPath(import.meta.url));
const SCRIPT = join(TEST, '../../tooling/scripts/generate-client.mjs');

itWithTool(
  'javac java:jackson-databind',
  'a client that is generated for Java compiles, and makes and reads mocks',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backlot-java-'));
    const host = await createHost({ protocols: [http] });
    await host.start();
    const server = createManagementServer(host);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const document = join(folder, 'openapi.json');
      await writeFile(document, await (await fetch(`${url}/api/openapi.json`)).text());
      const program = join(TEST, 'java/Orders.java');
      const made = await runTool(process.execPath, [
        SCRIPT,
        'java',
        join(folder, 'client'),
        document,
        program,
      ]);
      expect([made.code, made.err]).toEqual([0, '']);
      const path = made.out.trim();
      expect(path.split(delimiter)[0]).toBe(join(folder, 'client/classes'));
      const ran = await runTool('java', ['-cp', path, 'Orders', url, host.kind('http').url ?? '']);
      expect(ran).toEqual({ code: 0, out: '201 made by Java\norder\n404\n', err: '' });
      expect(host.state.all()).toEqual({ who: 'Ann' });
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await host.stop(0);
      await rm(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
