import { describe, expect } from '@jest/globals';
import { collectCleanups, itWithTool, startServer } from '@backlot/conformance';
import { dig, startHost } from './support.js';

const afterThis = collectCleanups();

const QUESTIONS = [
  'www.lan.test A',
  'www.lan.test AAAA',
  'lan.test MX',
  'info.lan.test TXT',
  'no.lan.test A',
];

async function ask(port: number): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const question of QUESTIONS) {
    const shown = await dig(port, '+noall', '+comments', '+answer', ...question.split(' '));
    const [status = ''] = /status: \w+/.exec(shown) ?? [];
    answers.push([status, ...shown.split('\n').filter((line) => /\tIN\t/.test(line))].join('\n'));
  }
  return answers;
}

describe('dnsmasq behind DNS', () => {
  itWithTool('dnsmasq dig', 'is recorded, and replayed with the server ended', async () => {
    const server = await startServer(
      'dnsmasq',
      (port) => [
        ...['--no-daemon', '--conf-file=/dev/null', '--no-resolv', '--no-hosts', '--pid-file'],
        ...[`--port=${port}`, '--listen-address=127.0.0.1', '--bind-interfaces', '--local=/lan.test/'],
        ...['--host-record=www.lan.test,192.0.2.7,2001:db8::7', '--mx-host=lan.test,www.lan.test,10'],
        ...['--txt-record=info.lan.test,of the house', '--local-ttl=60'],
      ],
      'started, version',
    );
    afterThis(() => server.stop());
    const recording = await startHost({
      upstream: { url: `dns://127.0.0.1:${server.port}`, mode: 'record_new' },
    });
    const direct = await ask(server.port);
    expect(direct[0]).toMatch(/^status: NOERROR\nwww\.lan\.test\.\t+60\tIN\tA\t192\.0\.2\.7$/);
    expect(direct.at(-1)).toBe('status: NXDOMAIN');
    expect(await ask(recording.port)).toEqual(direct);
    const mocks = recording.kind.mocks.list();
    await server.stop();
    const replayed = await startHost({ upstream: { mode: 'replay' }, mocks: structuredClone(mocks) });
    expect(await ask(replayed.port)).toEqual(direct);
    expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
  });
});
