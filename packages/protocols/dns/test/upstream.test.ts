import { describe, expect } from '@jest/globals';
import { collectCleanups, itWithTool } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { startNsd } from './start-nsd.js';
import { dig, startHost, type Running } from './support.js';

const afterThis = collectCleanups();

const QUESTIONS = [
  'www.example.test A',
  'chain.example.test A',
  'chain.example.test AAAA',
  'dangling.example.test A',
  'out.example.test A',
  'example.test MX',
  'example.test TXT',
  'example.test SOA',
  'example.test NS',
  'example.test CAA',
  'ns1.example.test AAAA',
  '_sip._udp.example.test SRV',
  'naptr.example.test NAPTR',
  'svc.example.test TYPE65',
  'raw.example.test TYPE65280',
  'nowhere.example.test A',
  'www.example.test AAAA',
  'one.wild.example.test TXT',
];

const recorder = (port: number, mode: string, more: Json = {}): Promise<Running> =>
  startHost({ upstream: { url: `dns://127.0.0.1:${port}`, mode }, ...more });

/** What is answered to all questions, by the response code and the records. */
async function ask(port: number, ...words: string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const question of QUESTIONS) {
    const shown = await dig(port, ...words, '+noall', '+comments', '+answer', ...question.split(' '));
    const [status = ''] = /status: \w+/.exec(shown) ?? [];
    const records = shown.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
    answers.push([question, status, ...records.toSorted()].join('\n'));
  }
  return answers;
}

describe('an upstream of DNS', () => {
  itWithTool('nsd dig', 'is recorded with dig, and replayed with the server ended', async () => {
    const nsd = await startNsd(afterThis);
    const recording = await recorder(nsd.port, 'record_new');
    const direct = await ask(nsd.port);
    expect(direct[0]).toMatch(/status: NOERROR\nwww[^]+\t192\.0\.2\.80$/);
    expect(await ask(recording.port)).toEqual(direct);
    expect(await ask(recording.port, '+tcp')).toEqual(direct);
    expect(recording.host.journal.list()).toHaveLength(2 * QUESTIONS.length);
    expect(recording.host.journal.list({ unmatched: true })).toEqual([]);
    expect(recording.host.journal.list().find(({ path }) => path === 'chain.example.test')).toMatchObject({
      method: 'QUERY',
      status: 'NOERROR',
      response: { body: expect.stringContaining('chain.example.test CNAME alias.example.test.') },
      upstream: { answered: true, recorded_id: 'recorded:cname-chain.example.test' },
    });
    const mocks = recording.kind.mocks.list();
    expect(mocks.find(({ id }) => id === 'recorded:mx-example.test')).toEqual({
      id: 'recorded:mx-example.test',
      name: 'example.test',
      type: 'MX',
      ttl: 300,
      records: ['10 mail.example.test.', '20 backup.example.net.'],
    });
    await nsd.stop();
    const replayed = await startHost({ upstream: { mode: 'replay' }, mocks: structuredClone(mocks) });
    // A set of records has one time to live (RFC 2181 section 5.2).
    const plain = (answers: string[]): string[][] =>
      answers.map((answer) =>
        answer
          .replaceAll('\t600\tIN', '\t300\tIN')
          .replaceAll('\t5400\tIN', '\t3600\tIN')
          .split('\n')
          .toSorted(),
      );
    expect(plain(await ask(replayed.port))).toEqual(plain(direct));
    expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
    expect(await dig(replayed.port, '+noall', '+comments', 'other.example.test')).toContain('NXDOMAIN');
    expect(replayed.host.journal.list({ unmatched: true })).toHaveLength(1);
  });

  itWithTool('nsd dig', 'passes on what mocks cannot answer, and says where mocks differ', async () => {
    const nsd = await startNsd(afterThis);
    const passing = await recorder(nsd.port, 'passthrough', {
      mocks: [{ name: 'www.example.test', records: ['192.0.2.1'] }],
    });
    expect(await dig(passing.port, '+short', 'www.example.test')).toMatch(/^192\.0\.2\.8[01]$/m);
    expect(await dig(passing.port, '+tcp', 'small.test', 'AXFR')).toContain('ns.small.test.');
    expect(await dig(passing.port, 'CH', 'TXT', 'version.server')).toContain('NSD');

    const spying = await recorder(nsd.port, 'spy', {
      mocks: [{ name: 'mine.example.test', records: ['192.0.2.1'] }],
    });
    expect(await dig(spying.port, '+short', 'mine.example.test')).toBe('192.0.2.1\n');
    expect(await dig(spying.port, '+short', 'ns1.example.test')).toBe('192.0.2.53\n');
    expect(spying.kind.mocks.list()).toHaveLength(1);

    const comparing = await recorder(nsd.port, 'diff', {
      mocks: [
        { name: 'ns1.example.test', records: ['192.0.2.53'], ttl: 1 },
        { name: 'mail.example.test', records: ['192.0.2.26'] },
        { name: 'nowhere.example.test', rcode: 'SERVFAIL' },
      ],
    });
    for (const name of ['ns1', 'mail', 'nowhere']) await dig(comparing.port, `${name}.example.test`);
    expect(comparing.host.journal.list().map(({ upstream }) => upstream?.differences)).toEqual([
      [],
      [
        'records: the mock has ["mail.example.test a 192.0.2.26"], the upstream ["mail.example.test a 192.0.2.25"]',
      ],
      ['rcode: the mock has "SERVFAIL", the upstream "NXDOMAIN"'],
    ]);
  });

  itWithTool(
    'dig',
    'that is replaced by one with other answers is recorded as answers in their order',
    async () => {
      const real = await startHost({ mocks: [{ id: 'a', name: 'a.test', records: ['192.0.2.1'] }] });
      const recording = await recorder(real.port, 'record_new');
      const answers = async (port: number): Promise<string[]> => {
        const all: string[] = [];
        for (let count = 0; count < 3; count += 1) {
          if (count === 2 && port === recording.port)
            real.kind.mocks.replace('a', { name: 'a.test', records: ['192.0.2.2'] });
          all.push(await dig(port, '+short', 'a.test'));
        }
        return all;
      };
      const recorded = await answers(recording.port);
      expect(recorded).toEqual(['192.0.2.1\n', '192.0.2.1\n', '192.0.2.2\n']);
      const replayed = await startHost({ mocks: structuredClone(recording.kind.mocks.list()) });
      expect(await answers(replayed.port)).toEqual(recorded);
      expect(await dig(replayed.port, '+short', 'a.test')).toBe('192.0.2.2\n');
    },
  );

  itWithTool('dig', 'that is not there gives no answer, and the log says why', async () => {
    const gone = await startHost();
    await gone.host.stop(0);
    const recording = await recorder(gone.port, 'record_all');
    expect(await dig(recording.port, '+tcp', '+retry=0', 'a.test')).toContain('connection reset');
    expect(recording.host.journal.list()[0]?.status).toContain('the upstream gave no answer');
    expect(recording.log).toEqual([expect.stringContaining('cannot be reached')]);
  });
});
