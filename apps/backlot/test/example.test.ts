import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runCommand, startCommand, FREE_PORTS, type StartedServer } from './command.js';

const SHOP = fileURLToPath(new URL('../../../examples/shop', import.meta.url));
const shell = promisify(execFile);

let server: StartedServer;
beforeAll(async () => {
  server = await startCommand(FREE_PORTS, { cwd: SHOP });
});
afterAll(async () => {
  await server.stop();
});

/** The lines of README.md that curl is called in, in their order, for the ports of this server. */
function curlLines(): string[] {
  return readFileSync(`${SHOP}/README.md`, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('curl '))
    .map((line) =>
      line
        .replace('http://localhost:8080', server.urls['http'] ?? '')
        .replace('http://localhost:9091', server.urls['api'] ?? ''),
    );
}

async function curl(line: string): Promise<string> {
  const child = shell('sh', ['-c', line.replace(/^curl /, 'curl -s ')]).catch(
    (error: unknown) => error as { stdout: string },
  );
  return (await child).stdout;
}

describe('examples/shop', () => {
  it('is valid', async () => {
    expect(await runCommand(['validate'], { cwd: SHOP })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^backlot\.yaml: valid/),
    });
  });

  it('answers every curl line of its README as it says', async () => {
    const lines = curlLines();
    const answers = new Map<string, string[]>();
    const ask = async (line: string): Promise<void> => {
      const path = line.replace(server.urls['http'] ?? '', '').replace(server.urls['api'] ?? '', '');
      answers.set(path, [...(answers.get(path) ?? []), await curl(line)]);
    };
    const push = lines.find((line) => line.includes('/api/streams/push')) ?? '';
    for (const line of lines) {
      if (line === push) continue;
      if (!line.includes('/orders/events')) {
        await ask(line);
        continue;
      }
      const reading = ask(line);
      // Pushed as soon as the stream is there.
      while (((await (await fetch(`${server.urls['api']}/api/streams`)).json()) as unknown[]).length === 0);
      await ask(push);
      await reading;
    }
    const answered = (beginning: string): string[] =>
      [...answers].filter(([line]) => line.startsWith(beginning)).flatMap(([, given]) => given);
    expect(JSON.parse(answered('curl /products')[0] ?? '')).toHaveLength(2);
    expect(JSON.parse(answered('curl /products/mug')[0] ?? '')).toEqual({
      id: 'mug',
      name: 'MUG',
      price: 12.5,
      currency: 'EUR',
    });
    expect(answered('curl /cart').map((text) => (JSON.parse(text) as { items: unknown[] }).items)).toEqual([
      [],
      [{ product: 'mug', quantity: 1 }],
    ]);
    expect(answered('curl -X POST /payments')).toEqual([
      expect.stringContaining('the bank does not answer'),
      expect.stringContaining('the bank does not answer'),
      '{"paid": true}',
      '{"error": "bank is down"}',
    ]);
    expect(answered('curl -X POST /orders')).toEqual(['{"product": "tea", "status": "accepted"}']);
    const events = answered('curl -N')[0] ?? '';
    expect(events).toContain('event: order\ndata: {"order": 1, "status": "packed"}\n\n');
    expect(events).toContain('data: {"order": 1, "status": "sent"}');
    expect(events).toContain('data: {"order": 2}');
    expect(JSON.parse(answered('curl -X POST /api/streams/push')[0] ?? '')).toMatchObject({ delivered: 1 });
    expect(JSON.parse(answered('curl /api/calls')[0] ?? '')).toMatchObject({ mock_id: 'payment', count: 4 });
    expect(JSON.parse(answered('curl /api/logs')[0] ?? '')).toEqual([]);
    expect(JSON.parse(answered('curl -X POST /api/reset')[0] ?? '')).toEqual({ status: 'reset' });
  });

  it('calls its own hook after an order', async () => {
    await fetch(`${server.urls['http']}/orders`, { method: 'POST', body: '{"product": "mug"}' });
    const waited = await fetch(`${server.urls['api']}/api/calls/http/order-hook/wait`, {
      method: 'POST',
      body: '{"count": 1, "timeout": "5s"}',
    });
    const { calls } = (await waited.json()) as { calls: { body: string }[] };
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({ event: 'order.accepted', product: 'mug' });
  });
});
