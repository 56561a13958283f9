import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import {
  ask,
  ENGINE_NAMES,
  KINDS,
  LAST,
  numbersOf,
  startEngine,
  startTwo,
  TREE,
  upTo,
} from './cluster-replicas.js';

describe.each(ENGINE_NAMES)('mocks of which one answer takes several, with %s', (engine) => {
  itWithTool(
    `${engine} dig snmpget snmpbulkget snmpset`,
    'count and change on all replicas together',
    async () => {
      const { url } = await startEngine(engine);
      const both = await startTwo({ url, name: 'ci' });
      const [one, two] = both;

      // DNS: the mocks behind an alias, and several for one question.
      await one.create(
        'dns',
        { id: 'alias', name: 'alias.test', type: 'CNAME', records: ['target.test'] },
        { id: 'few', name: 'target.test', type: 'A', records: ['192.0.2.1'], times: 5 },
        { id: 'last', name: 'target.test', type: 'A', records: ['192.0.2.2'], times: 7 },
        { id: 'all', name: 'target.test', type: 'A', records: ['192.0.2.3'] },
      );
      await two.create(
        'dns',
        { id: 'to-n', name: 'to-n.test', type: 'CNAME', records: ['n.test'] },
        {
          id: 'n',
          name: 'n.test',
          type: 'TXT',
          records: ['"{{seq "dns"}}"'],
          set_state: { last: '{{request.path}}' },
        },
      );
      const answers = await ask(both, 10, ({ dig }, n) =>
        dig(n % 4 < 2 ? '+tcp' : '+notcp', 'alias.test', 'A'),
      );
      for (const [status, alias, ...addresses] of answers)
        expect([status, alias, addresses.at(-1)]).toEqual(['NOERROR', 'target.test.', '192.0.2.3']);
      expect(answers.flat().filter((data) => data === '192.0.2.1')).toHaveLength(5);
      expect(answers.flat().filter((data) => data === '192.0.2.2')).toHaveLength(7);
      const texts = await ask(both, 8, ({ dig }, n) =>
        dig(n % 4 < 2 ? '+tcp' : '+notcp', 'to-n.test', 'TXT'),
      );
      expect(numbersOf(texts.map((data) => data.at(-1) ?? ''))).toEqual(upTo(8));
      for (const { server } of both) expect(server.host.state.all()['last']).toBe('n.test');

      // SNMP: each variable of a request takes its own step.
      await two.create(
        'snmp',
        { id: 'plain', oid: `${TREE}.1.0`, type: 'string', value: 'plain' },
        { id: 'few', oid: `${TREE}.2.0`, type: 'string', value: 'few', times: 5 },
        { id: 'n', oid: `${TREE}.3.0`, type: 'integer', value: '{{seq "snmp"}}' },
        {
          ...{ id: 'set', oid: `${TREE}.4.0`, type: 'integer', value: 0 },
          set_state: { sets: '{{add (default state.sets 0) 1}}' },
        },
      );
      const oids = [1, 2, 3, 3].map((n) => `${TREE}.${n}.0`);
      const got = (await ask(both, 8, ({ snmp }) => snmp('snmpget', ...oids))).flat();
      expect(got.filter((line) => line.startsWith(`.${TREE}.2.0`) && line.endsWith('"few"'))).toHaveLength(5);
      expect(got.filter((line) => line.startsWith(`.${TREE}.2.0`) && line.includes('No Such'))).toHaveLength(
        3,
      );
      expect(numbersOf(got.filter((line) => line.startsWith(`.${TREE}.3.0`)))).toEqual(upTo(16));
      // What is used up is not there for who walks; the others are found behind it.
      const walked = (await ask(both, 4, ({ snmp }) => snmp('snmpbulkget', '-Cr3', TREE))).flat();
      expect(walked.filter((line) => line.startsWith(`.${TREE}.2.0`))).toEqual([]);
      expect(numbersOf(walked.filter((line) => line.startsWith(`.${TREE}.3.0`)))).toEqual([17, 18, 19, 20]);
      const setting = [`${TREE}.1.0`, 's', 'set', `${TREE}.4.0`, 'i', '7'];
      const set = (await ask(both, 4, ({ snmp }) => snmp('snmpset', ...setting))).flat();
      expect(set.filter((line) => line === `.${TREE}.4.0 7`)).toHaveLength(4);
      // Those of the walks count as well.
      for (const { server } of both) expect(server.host.state.all()['sets']).toBe('8');

      // FTP: the home has the files, whichever port they are asked for by.
      await one.create(
        'ftp',
        { id: 'few', path: '/few.txt', content: 'few', times: 3, priority: 1 },
        { id: 'then', path: '/few.txt', content: 'then', times: 2 },
        {
          id: 'n',
          path: '/n.txt',
          content: 'n={{state.n}}',
          set_state: { n: '{{add (default state.n 0) 1}}' },
        },
      );
      const files = await ask(both, 7, ({ download }) => download('/few.txt'));
      expect(files.toSorted()).toEqual([550, 550, 'few', 'few', 'few', 'then', 'then']);
      expect(numbersOf((await ask(both, 4, ({ download }) => download('/n.txt'))).map(String))).toEqual(
        upTo(4),
      );
      for (const { server } of both) expect(server.host.state.all()['n']).toBe('4');

      // IMAP: likewise.
      await two.create('imap', {
        ...{ id: 'few', name: 'Few', messages: [{ subject: 'one', body: 'hi' }], times: 3 },
        set_state: { mail: '{{add (default state.mail 0) 1}}' },
      });
      const mailboxes = await ask(both, 5, ({ open }) => open('Few'));
      expect(mailboxes.filter((count) => count === 1)).toHaveLength(3);
      expect(mailboxes.filter((text) => /no such mailbox/.test(String(text)))).toHaveLength(2);
      for (const { server } of both) expect(server.host.state.all()['mail']).toBe('3');
    },
  );

  itWithTool(`${engine} dig snmpget`, 'answer with the fault of their kind without the engine', async () => {
    const { url, stop } = await startEngine(engine);
    // Each has data of its own, which none has without a home.
    const both = await startTwo({ url, name: 'ci', data: 'replica' });
    const [one, two] = both;
    const counting = { times: 100, set_state: { a: 'b' } };
    await one.create(
      'dns',
      { id: 'alias', name: 'alias.test', type: 'CNAME', records: ['target.test'] },
      { id: 'target', name: 'target.test', type: 'A', records: ['192.0.2.1'], ...counting },
    );
    await one.create(
      'snmp',
      { id: 'plain', oid: `${TREE}.1.0`, type: 'string', value: 'plain' },
      { id: 'few', oid: `${TREE}.2.0`, type: 'string', value: 'few', times: 100 },
    );
    await one.create(
      'ftp',
      { id: 'plain', path: '/plain', content: 'plain' },
      { path: '/few', content: 'few', ...counting },
    );
    await one.create('imap', { name: 'Plain' }, { name: 'Few', ...counting });
    expect(await ask(both, 2, ({ dig }) => dig('alias.test'))).toEqual(
      Array.from({ length: 2 }, () => ['NOERROR', 'target.test.', '192.0.2.1']),
    );
    expect(await ask(both, 2, ({ download }) => download('/few'))).toEqual(['few', 'few']);
    expect(await ask(both, 2, ({ open }) => open('Few'))).toEqual([0, 0]);
    await stop();
    while ((await two.dig('alias.test'))[0] !== 'SERVFAIL');
    expect(await two.dig('alias.test', 'CNAME')).toEqual(['NOERROR', 'target.test.']);
    const failed = await two.snmp('snmpget', `${TREE}.1.0`, `${TREE}.2.0`);
    expect(failed.join('\n')).toMatch(/genError/i);
    expect(await two.snmp('snmpget', `${TREE}.1.0`)).toEqual([`.${TREE}.1.0 "plain"`]);
    expect([await two.download('/few'), await two.download('/plain')]).toEqual([421, 'plain']);
    expect([await two.open('Few'), await two.open('Plain')]).toEqual(['fault injected', 0]);
    const response = await fetch(`${two.server.apiUrl}/api/logs?consistency=local`, { headers: LAST });
    const journal = (await response.json()) as readonly { protocol: string; failure?: string }[];
    const failures = journal.flatMap(({ protocol, failure }) =>
      failure === undefined ? [] : [{ protocol, failure }],
    );
    expect(new Set(failures.map(({ protocol }) => protocol))).toEqual(new Set(KINDS));
    for (const { failure } of failures) expect(failure).toMatch(/ of mock ".+" .*cannot be (made|counted): /);
  });
});
