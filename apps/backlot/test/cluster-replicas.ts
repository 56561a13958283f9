import { afterEach, expect } from '@jest/globals';
import {
  runTool,
  startServer as startProgram,
  type RunningServer as RunningProgram,
} from '@backlot/conformance';
import { Client as FtpClient } from 'basic-ftp';
import { ImapFlow } from 'imapflow';
import { Writable } from 'node:stream';
import { loadPlugins } from '../src/plugins/installed.js';
import { planServer, type ClusterPlan } from '../src/server/plan.js';
import { startServer, type RunningServer } from '../src/server/start-server.js';
import { makeFolder } from './command.js';

/** Kinds of which one answer may take several mocks, or whose mocks are what clients store. */
export const KINDS = ['dns', 'snmp', 'ftp', 'imap'];
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
export const LAST = { connection: 'close' };
/** Where the values of the tests are, below the numbers of enterprises. */
export const TREE = '1.3.6.1.4.1.99999';

export const ENGINE_NAMES = Object.keys(ENGINES);

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A replica in this process, with what unmodified clients find by its ports. */
export interface Replica {
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
  /** What curl lists of the first mailbox by POP3: a number and a size for each message. */
  pop3(): Promise<string>;
  /** Opens a stream of HTTP, which ends with the test; resolves with its first line there. */
  stream(path: string): Promise<{ lines(count: number): Promise<readonly string[]> }>;
  /** Asks its management API, and gives the body of the answer. */
  manage(method: string, path: string, body?: object): Promise<unknown>;
}

/** Starts an engine of Debian by the name of its program, which ends with the test. */
export async function startEngine(program: string): Promise<RunningProgram & { readonly url: string }> {
  const known = ENGINES[program];
  if (known === undefined) throw new Error(`no engine is called ${program}`);
  const folder = makeFolder();
  closers.push(() => folder.remove());
  const engine = await startProgram(program, (own) => known.args(own, folder.path), known.ready);
  closers.push(() => engine.stop());
  return { ...engine, url: `${known.scheme}://127.0.0.1:${engine.port}` };
}

async function startReplica(cluster: ClusterPlan, kinds: readonly string[]): Promise<Replica> {
  const plugins = await loadPlugins([], (kind) => kinds.includes(kind));
  const protocols = plugins.map(({ protocol }) => protocol);
  const file = { protocols: { imap: { pop3_port: 0 } } };
  const plan = planServer(file, protocols, { freePorts: true, only: kinds, cluster, ui: false });
  const server = await startServer({ plan, protocols, version: '1', log: () => undefined });
  closers.push(() => server.stop());
  const portOf = (kind: string): string => String(server.host.kind(kind).address?.port);
  const manage = async (method: string, path: string, body?: object): Promise<unknown> => {
    const url = `${server.apiUrl}/api${path}`;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url, { method, headers: LAST, ...sent });
    const text = await response.text();
    expect([method, path, response.ok, text]).toEqual([method, path, true, expect.anything()]);
    return JSON.parse(text);
  };
  return {
    server,
    manage,
    async create(kind, ...mocks) {
      for (const mock of mocks) await manage('POST', `/mocks/${kind}`, mock);
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
    async pop3() {
      const protocols = (await manage('GET', '/protocols')) as readonly { pop3_port?: number }[];
      const port = protocols.find((each) => each.pop3_port !== undefined)?.pop3_port;
      const user = 'ann%40shop.test:any';
      return (await runTool('curl', ['-sS', `pop3://${user}@127.0.0.1:${port}/`])).out.trim();
    },
    async stream(path) {
      const ended = new AbortController();
      closers.push(() => ended.abort());
      const response = await fetch(`http://127.0.0.1:${portOf('http')}${path}`, { signal: ended.signal });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      const lines = async (count: number): Promise<readonly string[]> => {
        while (text.split('\n').length <= count) {
          const { value = '', done } = (await reader?.read()) ?? { done: true };
          if (done) throw new Error(`the stream ended with ${JSON.stringify(text)}`);
          text += value;
        }
        return text.split('\n').slice(0, -1);
      };
      await lines(1);
      return { lines };
    },
  };
}

/** Starts two replicas of one cluster, called `one` and `two`, which end with the test. */
export async function startTwo(
  cluster: ClusterPlan,
  kinds: readonly string[] = KINDS,
): Promise<readonly [Replica, Replica]> {
  const one = await startReplica({ ...cluster, replica: 'one' }, kinds);
  const two = await startReplica({ ...cluster, replica: 'two' }, kinds);
  return [one, two];
}

/** Asks both replicas at the same moment, so often in all. */
export function ask<T>(
  replicas: readonly [Replica, Replica],
  times: number,
  of: (replica: Replica, n: number) => Promise<T>,
): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: times }, (_, n) => of(replicas[n % 2 === 0 ? 0 : 1], n)));
}

/** The numbers at the ends of texts, in order. */
export function numbersOf(texts: readonly string[]): readonly number[] {
  return texts.map((text) => Number(/\d+$/.exec(text.replaceAll('"', ''))?.[0])).toSorted((a, b) => a - b);
}

/** The numbers from 1. */
export function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
