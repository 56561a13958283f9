import { EventEmitter } from 'node:events';
import { afterAll, describe, expect, it } from '@jest/globals';
import { describePrivateNames, type PrivateName } from '@backlot/conformance';
import * as ftpSrv from 'ftp-srv';

type Members = Record<string, unknown>;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const;
const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
const log: Members = { child: () => log };
for (const level of ['trace', 'debug', 'info', 'warn', 'error']) log[level] = () => undefined;

/** A client as the library sees its socket, and what was written to it. */
class Channel extends EventEmitter {
  readonly remoteAddress = '127.0.0.1';
  readonly writable = true;
  readonly destroyed = true;
  written = '';
  address = (): object => ({ port: 21 });
  resume = (): void => undefined;
  write = (text: string, _encoding: string, done?: () => void): boolean => {
    this.written += text;
    done?.();
    return true;
  };
}

const { FtpSrv } = ftpSrv as unknown as { FtpSrv: new (options: object) => EventEmitter & Members };
const server = new FtpSrv({ log, url: 'ftp://127.0.0.1:0', greeting: ['Hello'], anonymous: false });
const added = SIGNALS.filter((signal) => process.listenerCount(signal) > (before.get(signal)?.length ?? 0));
const channel = new Channel();
let connection: Members = {};
server.on('connect', (data: { connection: Members }) => (connection = data.connection));
server['disconnectClient'] = () => Promise.resolve();
(server['server'] as EventEmitter | undefined)?.emit('connection', channel);

afterAll(() => {
  channel.emit('close');
  for (const signal of SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (before.get(signal)?.includes(listener) !== true) process.off(signal, listener);
    }
  }
});

function name(full: string, use: string, find: () => unknown, type?: PrivateName['type']): PrivateName {
  return { name: full, use: `${use}, in src/library/ftp-library.ts`, find, ...(type && { type }) };
}

describePrivateNames({ name: 'ftp-srv', testUrl: import.meta.url }, [
  name('FtpServer.server', 'takes sockets that were accepted by kit', () => server['server'], 'object'),
  name('FtpServer.connections', 'holds the clients, and forgets them', () => server['connections'], 'object'),
  name(
    'FtpServer.prototype.disconnectClient',
    'is replaced, as it leaves a timer behind',
    () => (FtpSrv.prototype as Members)['disconnectClient'],
  ),
  name('event "connect"', 'hands out the connection of the library', () => connection['server'], 'object'),
  name('FtpConnection.login', 'checks a login', () => connection['login']),
  name(
    'FtpConnection.authenticated',
    'is set to false by REIN and AUTH',
    () => {
      // The library sets it, and its table of commands asks for it.
      return /this\.authenticated = true/.test(String(connection['login']));
    },
    'boolean',
  ),
  name('FtpConnection.commands', 'is the table of commands', () => connection['commands'], 'object'),
  name(
    'FtpConnection.commands.handle',
    'answers NOOP, MODE, STRU, ALLO and SYST',
    () => (connection['commands'] as Members)['handle'],
  ),
]);

describe('ftp-srv', () => {
  it('answers a line by its channel, in the form that a channel expects', async () => {
    const { handle } = connection['commands'] as { handle(line: string): PromiseLike<unknown> };
    await handle.call(connection['commands'], 'NOOP');
    expect(channel.written).toMatch(/^220-Hello\r\n/);
    expect(channel.written).toMatch(/\r\n200 [^\r]+\r\n/);
  });

  it('ends the process on signals, which is taken away from it', () => {
    expect(added).toEqual([...SIGNALS]);
  });

  it('gives a login to the listener of the event, and remembers that it was right', async () => {
    server.once('login', (_login: object, resolve: (settings: object) => void) => resolve({ fs: {} }));
    await (connection as { login(name: string, password: string): PromiseLike<void> }).login('ann', 'x');
    expect(connection['authenticated']).toBe(true);
  });
});
