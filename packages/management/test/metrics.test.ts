import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const sampleOf = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

describe('metrics', () => {
  it('count what was received by how it ended, and how long that took', async () => {
    const { url, ask, call } = await start(
      {},
      { settings: { echo: { mocks: [{ id: 'yes', match: 'yes' }] } } },
    );
    for (const word of ['yes', 'yes', 'no']) await ask(`SAY ${word}`);
    await call('POST', '/api/fault/echo', { text: 'broken' });
    await ask('SAY yes');
    const read = async (query = ''): Promise<string> => (await fetch(`${url}/metrics${query}`)).text();
    const text = await read();
    const of = (outcome: string): number | undefined =>
      sampleOf(text, `backlot_exchanges_total{protocol="echo",outcome="${outcome}"}`);
    expect([of('matched'), of('unmatched'), of('fault'), of('aborted')]).toEqual([2, 1, 1, undefined]);
    const bucket = (le: string): number | undefined =>
      sampleOf(text, `backlot_exchange_duration_seconds_bucket{protocol="echo",le="${le}"}`);
    expect(bucket('+Inf')).toBe(4);
    expect(sampleOf(text, 'backlot_exchange_duration_seconds_count{protocol="echo"}')).toBe(4);
    expect(bucket('0.000256')).toBeLessThanOrEqual(bucket('16.777216') ?? 0);
    expect(sampleOf(text, 'backlot_troubles{protocol="echo",source="set",what="fault"}')).toBe(1);
    expect(sampleOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(text).not.toContain('backlot_mock_calls_total');
    const byMock = await read('?by=mock');
    expect(sampleOf(byMock, 'backlot_mock_calls_total{protocol="echo",mock="yes"}')).toBe(3);
    expect(sampleOf(byMock, 'backlot_mocks_not_shown')).toBe(0);
    expect((await fetch(`${url}/metrics?by=kind`)).status).toBe(400);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
    // A reset sets counts of mocks back, and not how exchanges have ended.
    await call('POST', '/api/reset');
    const after = await read('?by=mock');
    expect(sampleOf(after, 'backlot_exchanges_total{protocol="echo",outcome="matched"}')).toBe(2);
    expect(sampleOf(after, 'backlot_mock_calls_total{protocol="echo",mock="yes"}')).toBeUndefined();
  });

  it('are in the format that is asked for', async () => {
    const { url } = await start();
    const read = async (accept: string): Promise<[string | null, string]> => {
      const answer = await fetch(`${url}/api/metrics`, { headers: { accept } });
      return [answer.headers.get('content-type'), await answer.text()];
    };
    const [plain, text] = await read('text/plain;version=0.0.4;q=0.3,*/*;q=0.1');
    expect(plain).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain('# TYPE process_cpu_seconds_total counter\n');
    const [open, document] = await read(
      'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3',
    );
    expect(open).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(document).toContain('# TYPE process_cpu_seconds counter\n');
    expect(document.endsWith('\n# EOF\n')).toBe(true);
    expect((await read('application/openmetrics-text;q=0, text/plain'))[0]).toContain('text/plain');
  });

  it('need the token that all needs, and of a space leave the process out', async () => {
    const { url } = await start({ token: 'secret' });
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const headers = { authorization: 'Bearer secret' };
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
    await fetch(`${url}/api/spaces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"id":"a"}',
    });
    const text = await (await fetch(`${url}/api/spaces/a/metrics`, { headers })).text();
    expect(text).toContain('backlot_up{protocol="echo"}');
    expect(text).not.toContain('process_');
  });

  itWithTool('promtool', 'pass the checks of promtool, with names that clients gave', async () => {
    const name = 'a"b\\c\nd';
    const { url, ask } = await start({}, { settings: { echo: { mocks: [{ id: name, match: 'x' }] } } });
    await ask('SAY x');
    const text = await (await fetch(`${url}/metrics?by=mock`)).text();
    expect(text).toContain('mock="a\\"b\\\\c\\nd"} 1');
    const { code, out, err } = await runTool('promtool', ['check', 'metrics'], { input: text });
    expect([code, out, err]).toEqual([0, '', '']);
  });
});
