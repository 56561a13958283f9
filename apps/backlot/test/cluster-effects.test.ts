import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import {
  ask,
  ENGINE_NAMES,
  KINDS,
  numbersOf,
  startEngine,
  startTwo,
  TREE,
  upTo,
} from './cluster-replicas.js';

const ROWS = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'];

describe.each(ENGINE_NAMES)('what a match does to all replicas, with %s', (engine) => {
  itWithTool(`${engine} dig snmpget snmpgetnext`, 'takes each row once, whoever asks', async () => {
    const { url } = await startEngine(engine);
    const both = await startTwo({ url, name: 'ci' });
    const [one, two] = both;
    for (const name of KINDS) {
      const rows = ROWS.map((id) => ({ id }));
      await one.manage('PUT', `/collections/${name}`, { rows });
    }
    const take = (name: string): object => ({ collection: { name, take: true } });
    await one.create('dns', { name: 'row.test', type: 'TXT', records: ['"{{row.id}}"'], ...take('dns') });
    await two.create('snmp', { oid: `${TREE}.1.0`, type: 'string', value: '{{row.id}}', ...take('snmp') });
    await one.create('ftp', { path: '/row.txt', content: '{{row.id}}', ...take('ftp') });
    await two.create('imap', { name: 'Rows', messages: [{ subject: '{{row.id}}' }], ...take('imap') });

    const names = await ask(both, 8, ({ dig }) => dig('row.test', 'TXT'));
    expect(names.map(([status, data]) => data ?? status).toSorted()).toEqual(
      [...ROWS.map((id) => `"${id}"`), 'NXDOMAIN', 'NXDOMAIN'].toSorted(),
    );
    // GETNEXT finds what GET finds, by itself.
    const values = await ask(both, 8, ({ snmp }, n) =>
      n % 4 < 2 ? snmp('snmpget', `${TREE}.1.0`) : snmp('snmpgetnext', `${TREE}.1`),
    );
    expect(
      values
        .flat()
        .filter((line) => line.startsWith(`.${TREE}.1.0 "`))
        .toSorted(),
    ).toEqual(ROWS.map((id) => `.${TREE}.1.0 "${id}"`));
    const files = await ask(both, 8, ({ download }) => download('/row.txt'));
    // What is listed without a message is there without a row as well.
    expect(files.toSorted()).toEqual(['', '', ...ROWS]);
    expect(await ask(both, 8, ({ open }) => open('Rows'))).toEqual(Array.from({ length: 8 }, () => 1));
    for (const { manage } of both)
      for (const name of KINDS)
        expect([name, await manage('GET', `/collections/${name}`)]).toEqual([name, []]);
  });

  itWithTool(`${engine} dig snmpget`, 'gives a first answer again on another replica', async () => {
    const { url } = await startEngine(engine);
    const both = await startTwo({ url, name: 'ci' });
    const [one] = both;
    const once = { once: { key: 'only' } };
    await one.create('dns', { name: 'once.test', type: 'TXT', records: ['"{{uuid}}"'], ...once });
    await one.create('snmp', { oid: `${TREE}.1.0`, type: 'string', value: '{{uuid}}', ...once });
    await one.create('ftp', { path: '/once.txt', content: '{{uuid}}', ...once });
    const uuid = /[\da-f]{8}-[\da-f-]{27}/;
    const given = [
      await ask(both, 4, async ({ dig }) => (await dig('once.test', 'TXT')).at(-1) ?? ''),
      await ask(both, 4, async ({ snmp }) => (await snmp('snmpget', `${TREE}.1.0`)).join('\n')),
      await ask(both, 4, async ({ download }) => String(await download('/once.txt'))),
    ];
    for (const answers of given) {
      expect(answers[0]).toMatch(uuid);
      expect(new Set(answers).size).toBe(1);
    }
  });

  itWithTool(
    `${engine} dig snmpget curl`,
    'pushes into the streams of all, once for each match',
    async () => {
      const { url } = await startEngine(engine);
      const both = await startTwo({ url, name: 'ci' }, [...KINDS, 'http']);
      const [one, two] = both;
      await one.create('http', {
        id: 'feed',
        request: { path: '/feed' },
        response: { headers: { 'content-type': 'text/plain' } },
        stream: { events: [{ data: 'open\n' }], keep_open: true },
      });
      const emit = (text: string): object => ({
        emit: [{ to: 'http/feed', data: `${text}{{seq "pushed"}}\n` }],
      });
      await one.create('dns', { name: 'push.test', type: 'A', records: ['192.0.2.1'], ...emit('dns ') });
      await two.create('snmp', { oid: `${TREE}.1.0`, type: 'integer', value: 1, ...emit('snmp ') });
      await one.create('ftp', { path: '/push.txt', content: 'x', ...emit('ftp ') });
      // By POP3 the first mailbox is opened as by IMAP.
      await two.create('imap', {
        name: 'INBOX',
        messages: [{ subject: 'one', body: 'hi' }],
        ...emit('imap '),
      });
      const feeds = await Promise.all(both.map(({ stream }) => stream('/feed')));
      const listings = await ask(both, 8, async (replica, n) => {
        if (n < 2) return await replica.dig('push.test', 'A');
        if (n < 4) return await replica.snmp('snmpget', `${TREE}.1.0`);
        if (n < 6) return await replica.download('/push.txt');
        return await replica.pop3();
      });
      expect(listings.slice(6)).toEqual([expect.stringMatching(/^1 \d+/), expect.stringMatching(/^1 \d+/)]);
      for (const feed of feeds) {
        const lines = await feed.lines(9);
        expect(lines[0]).toBe('open');
        expect(numbersOf(lines.slice(1))).toEqual(upTo(8));
        expect(
          lines
            .slice(1)
            .map((line) => line.split(' ')[0])
            .toSorted(),
        ).toEqual(['dns', 'dns', 'ftp', 'ftp', 'imap', 'imap', 'snmp', 'snmp']);
      }
    },
  );

  itWithTool(
    `${engine} dig snmpget`,
    'is the fault of the kind while the engine stands still, and goes on when it does',
    async () => {
      const { url, signal } = await startEngine(engine);
      const both = await startTwo({ url, name: 'ci', data: 'replica' });
      const [one, two] = both;
      const counting = { set_state: { n: '{{add (default state.n 0) 1}}' } };
      await one.create(
        'dns',
        { name: 'few.test', type: 'A', records: ['192.0.2.1'], ...counting },
        { name: 'plain.test', type: 'A', records: ['192.0.2.2'] },
      );
      await one.create(
        'snmp',
        { oid: `${TREE}.1.0`, type: 'string', value: 'few', ...counting },
        { oid: `${TREE}.2.0`, type: 'string', value: 'plain' },
      );
      await one.create(
        'ftp',
        { path: '/few', content: 'few', ...counting },
        { path: '/plain', content: 'plain' },
      );
      await one.create('imap', { name: 'Few', ...counting }, { name: 'Plain' });
      signal('SIGSTOP');
      try {
        // It takes what is sent and answers nothing: each waits until the patience of the replica ends.
        const [dns, snmp, ftp, imap] = await Promise.all([
          two.dig('few.test'),
          two.snmp('snmpget', `${TREE}.1.0`),
          two.download('/few'),
          two.open('Few'),
        ]);
        expect([dns, ftp, imap]).toEqual([['SERVFAIL'], 421, 'fault injected']);
        expect(snmp.join('\n')).toMatch(/genError/i);
        expect(await two.dig('plain.test')).toEqual(['NOERROR', '192.0.2.2']);
        expect(await two.snmp('snmpget', `${TREE}.2.0`)).toEqual([`.${TREE}.2.0 "plain"`]);
        expect([await two.download('/plain'), await two.open('Plain')]).toEqual(['plain', 0]);
      } finally {
        signal('SIGCONT');
      }
      while ((await two.dig('few.test'))[0] !== 'NOERROR');
      expect(await two.snmp('snmpget', `${TREE}.1.0`)).toEqual([`.${TREE}.1.0 "few"`]);
      expect([await two.download('/few'), await two.open('Few')]).toEqual(['few', 0]);
      // Both have made the same changes in one order, those that arrived late among them.
      const [here, there] = await Promise.all(
        both.map(async ({ manage }) => await manage('GET', '/state?at_least=1')),
      );
      expect(here).toEqual(there);
    },
  );
});
