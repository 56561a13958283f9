import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { http } from '@backlot/http';
import { createManagementServer } from '@backlot/management';
import { startBacklot } from '../src/index.js';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), 'playwright');
const CLI = createRequire(import.meta.url).resolve('@playwright/test/cli');

interface Suite {
  readonly suites?: readonly Suite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly results: readonly {
        readonly status: string;
        readonly error?: { readonly message: string };
        readonly attachments: readonly { readonly name: string; readonly body?: string }[];
      }[];
    }[];
  }[];
}

itWithTool(
  'chromium',
  "Playwright's runner: each test has its space, pages belong to it, and a failure shows the traffic",
  async () => {
    const output = await mkdtemp(join(tmpdir(), 'backlot-playwright-'));
    const backlot = await startBacklot({ protocols: [http] });
    const server = createManagementServer(backlot.host);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { out, err } = await runTool(process.execPath, [CLI, 'test', '-c', FOLDER], {
        cwd: FOLDER,
        env: {
          NODE_OPTIONS: '--conditions=backlot-source',
          // Its workers are no workers of jest.
          JEST_WORKER_ID: '',
          OUTPUT: output,
          SHARED: backlot.http.url,
          BACKLOT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        },
      });
      const report = JSON.parse(out === '' ? `{"suites": []}` : out) as Suite;
      const specs = [report, ...(report.suites ?? [])].flatMap((suite) => suite.specs ?? []);
      const results = Object.fromEntries(specs.map(({ title, tests }) => [title, tests[0]?.results[0]]));
      expect([err, Object.entries(results).map(([title, result]) => [title, result?.status])]).toEqual([
        '',
        expect.arrayContaining([
          ['one: what a page asks a shared port belongs to its test', 'passed'],
          ['two: what a page asks a shared port belongs to its test', 'passed'],
          ['what the test itself asks belongs to it as well', 'passed'],
          ['a test that fails shows what met no mock', 'failed'],
          ['headers of a file do not take pages out of the space', 'passed'],
          ['a request that would leave the space fails', 'failed'],
          ['the first test finds the space as it was', 'passed'],
          ['the second test finds the space as it was', 'passed'],
        ]),
      ]);
      expect(results['a request that would leave the space fails']?.error?.message).toContain(
        'test.use({ extraHTTPHeaders }) took the place of the headers that name the space',
      );
      const attached = results['a test that fails shows what met no mock']?.attachments ?? [];
      const text = (name: string): string =>
        Buffer.from(attached.find((each) => each.name === name)?.body ?? '', 'base64').toString();
      expect(text('Backlot: what met no mock')).toMatch(/GET \/order -> 404[^]*not "order"/);
      expect(JSON.parse(text('Backlot: the last 200 messages at most'))).toMatchObject([
        { path: '/order', missed: true },
      ]);
      // Nothing is left of the tests, in the server itself either.
      expect(backlot.host.spaces.list()).toEqual([]);
      expect(backlot.journal.list()).toEqual([]);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await backlot.stop();
      await rm(output, { recursive: true, force: true });
    }
  },
  120_000,
);
