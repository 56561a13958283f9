import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool, startServer as startProgram } from '@backlot/conformance';
import { Client as FtpClient } from 'basic-ftp';
import { ImapFlow } from 'imapflow';
import { Writable } from 'node:stream';
import { loadPlugins } from '../src/plugins/installed.js';
import { planServer, type ClusterPlan } from '../src/server/plan.js';
import { startServer, type RunningServer } from '../src/server/start-server.js';
import { makeFolder } from './command.js';

const KINDS = ['dns', 'snmp', 'ftp', 'imap'];
/** The programs of engines, how they are started, and what they say once they answer. */
const ENGINES: Readonly<
  Record<string, { args: (port: number, folder: string) => readonly string[]; ready: string; scheme: string }>
> = {
  'nats-server': {
    args: (port, folder) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder],
    ready: 'Server is ready',
    scheme: 'nats',
  },
  'redis-server': {
    args: (port, folder) => ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', ''],
    ready: 'Ready to accept connections',
    scheme: 'redis',
  },
};
/** So that no connection is left at the end. */
const LAST = { connection: 'close' };
const TREE = '1.3.6.1.4.1.99999';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A replica in this process, with what unmodified clients find by its ports. */
interface Replica {
  readonly server: RunningServer;
  /** Makes mocks of a kind. */
  create(kind: string, ...mocks: readonly object[]): Promise<void>;
  /** What dig says: the status, and the data of the records in order. */
  dig(...args: readonly string[]): Promise<readonly [status: string, ...data: readonly string[]]>;
  /** What a program of net-snmp says, a line for each value. */
  snmp(program: string, ...args: readonly string[]): Promise<readonly string[]>;
  /** What a file holds; the code of the reply where it cannot be read. */
  download(path: string): Promise<string | number>;
  /** The number of messages in a mailbox; what it is answered where there is none. */
  open(mailbox: string): Promise<number | string>;
}

async function startEngine(program: string): Promise<{ readonly url: string; stop(): Promise<unknown> }> {
  const known = ENGINES[program];
  if (known === undefined) throw new Error(`no engine is called ${program}`);
  const folder = makeFolder();
  closers.push(() => folder.remove());
  const { port, stop } = await startProgram(program, (own) => known.args(own, folder.path), known.ready);
  closers.push(stop);
  return { url: `${known.scheme}://127.0.0.1:${port}`, stop };
}

async function startReplica(cluster: ClusterPlan): Promise<Replica> {
  const plugins = await loadPlugins([], (kind) => KINDS.includes(kind));
  const protocols = plugins.map(({ protocol }) => protocol);
  const plan = planServer(undefined, protocols, { freePorts: true, only: KINDS, cluster, ui: false });
  const server = await startServer({ plan, protocols, version: '1', log: () => undefined });
  closers.push(() => server.stop());
  const portOf = (kind: string): string => String(server.host.kind(kind).address?.port);
  return {
    server,
    async create(kind, ...mocks) {
      for (const mock of mocks) {
        const body = JSON.stringify(mock);
        const response = await fetch(`${server.apiUrl}/api/mocks/${kind}`, {
          method: 'POST',
          body,
          headers: LAST,
        });
        expect([response.status, await response.text()]).toEqual([201, expect.anything()]);
      }
    },
    async dig(...args) {
      const { out } = await runTool('dig', [
        ...['@127.0.0.1', '-p', portOf('dns'), '+tries=1', '+time=30', '+noall', '+comments', '+answer'],
        ...args,
      ]);
      const data = out.matchAll(/^\S+\s+\d+\s+IN\s+\S+\s+(.*)$/gm);
      return [/status: ([A-Z]+)/.exec(out)?.[1] ?? out, ...Array.from(data, ([, value = '']) => value)];
    },
    async snmp(program, ...args) {
      const agent = `127.0.0.1:${portOf('snmp')}`;
      const options = ['-v2c', '-cpublic', '-r0', '-t30', '-Onqe', '-m', ''];
      const { out, err } = await runTool(program, [...options, agent, ...args]);
      return `${out}${err}`.split('\n').filter((line) => line !== '');
    },
    async download(path) {
      const client = new FtpClient();
      try {
        await client.access({ host: '127.0.0.1', port: Number(portOf('ftp')), user: 'ann', password: 'any' });
        let text = '';
        const into = new Writable({
          write(chunk, _encoding, done) {
            text += String(chunk);
            done();
          },
        });
        await client.downloadTo(into, path);
        return text;
      } catch (thrown) {
        return (thrown as { readonly code?: number }).code ?? String(thrown);
      } finally {
        client.close();
      }
    },
    async open(mailbox) {
      const auth = { user: 'ann@shop.test', pass: 'any' };
      const client = new ImapFlow({
        ...{
          host: '127.0.0.1',
          port: Number(portOf('imap')),
          secure: false,
          doSTARTTLS: false,
          auth,
          logger: false,
        },
      });
      await client.connect();
      try {
        return (await client.mailboxOpen(mailbox)).exists;
      } catch (thrown) {
        return String((thrown as { readonly responseText?: string }).responseText ?? thrown);
      } finally {
        await client.logout();
      }
    },
  };
}

async function startTwo(cluster: ClusterPlan): Promise<readonly [Replica, Replica]> {
  const one = await startReplica({ ...cluster, replica: 'one' });
  const two = await startReplica({ ...cluster, replica: 'two' });
  return [one, two];
}

/** Asks both replicas at the same moment, so often in all. */
function ask<T>(
  replicas: readonly [Replica, Replica],
  times: number,
  of: (replica: Replica, n: number) => Promise<T>,
): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: times }, (_, n) => of(replicas[n % 2 === 0 ? 0 : 1], n)));
}

function numbersOf(texts: readonly string[]): readonly number[] {
  return texts.map((text) => Number(/\d+$/.exec(text.replaceAll('"', ''))?.[0])).toSorted((a, b) => a - b);
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

describe.each(Object.keys(ENGINES))('mocks of which one answer takes several, with %s', (engine) => {
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
