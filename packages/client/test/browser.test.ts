import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { createManagementServer } from '@backlot/management';
import { build } from 'esbuild';
import type * as Playwright from 'playwright-core';

// As a module, it imports itself in a circle, which jest does not take.
const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof Playwright;

const ENTRY = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'index.ts');
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

itWithTool(
  'chromium',
  'a page of another origin connects, makes a mock, calls it and reads what came',
  async () => {
    const bundle = await build({
      entryPoints: [ENTRY],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      conditions: ['backlot-source'],
    });
    const script = bundle.outputFiles[0]?.text ?? '';
    // It is for browsers: nothing of Node.js is in it, and no other package.
    expect(script).not.toMatch(/require\(|node:|@backlot\/core/);
    const page = createServer((request, response) => {
      if (request.url === '/client.js') response.setHeader('Content-Type', 'text/javascript').end(script);
      else response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A page</title>');
    });
    const origin = await listen(page);
    const host = await createHost({
      protocols: [http],
      settings: { http: { port: 0, cors: true } },
    });
    open.push(() => host.stop(0));
    await host.start();
    const url = await listen(createManagementServer(host, { allowedOrigins: [origin] }));

    const folder = await mkdtemp(join(tmpdir(), 'backlot-client-'));
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: '/usr/bin/chromium',
      headless: true,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
      timeout: 60_000,
    });
    open.push(async () => {
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    const [tab = await context.newPage()] = context.pages();
    await tab.goto(origin);
    const told = await tab.evaluate(async (api) => {
      const address = '/client.js';
      const { connect } = (await import(address)) as {
        connect(options: object): Promise<{
          readonly http: {
            readonly url: string;
            mock(mock: object): Promise<{ waitForCalls(): Promise<readonly { readonly path: string }[]> }>;
          };
        }>;
      };
      const backlot = await connect({ url: api, protocols: ['http'] });
      const hello = await backlot.http.mock({ request: { path: '/hello' }, response: { body: 'Hello' } });
      const waiting = hello.waitForCalls();
      const answer = await fetch(`${backlot.http.url}/hello`);
      return { body: await answer.text(), paths: (await waiting).map(({ path }) => path) };
    }, url);
    expect(told).toEqual({ body: 'Hello', paths: ['/hello'] });
  },
  60_000,
);
