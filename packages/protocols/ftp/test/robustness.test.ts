import net from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { abandon, eventually, mulberry32, mutate, playSession } from '@backlot/conformance';
import { PassiveChannel } from '../src/data/passive-channel.js';
import { loadLibrary } from '../src/library/ftp-library.js';
import {
  connectData,
  download,
  openClient,
  portOf,
  RawClient,
  readAll,
  startHost,
  upload,
} from './support.js';

/** What ftplib, curl and lftp sent over the control connection. */
const SESSION = Buffer.from(
  'USER anonymous\r\nPASS anonymous@\r\nFEAT\r\nOPTS UTF8 ON\r\nOPTS MLST type;size;modify;UNIX.mode;\r\nPWD\r\n' +
    'TYPE I\r\nSIZE docs/hello.txt\r\nMDTM docs/hello.txt\r\nREST 3\r\nEPSV\r\nRETR docs/hello.txt\r\nMKD made "here"\r\n' +
    'CWD made "here"\r\nTYPE A\r\nPASV\r\nSTOR up.txt\r\nRNFR /docs/hello.txt\r\nRNTO moved.txt\r\nMLST /docs\r\n' +
    'PA"SV\r\nEP"SV\r\nRE"TR docs/hello.txt\r\nSTAT /\r\nSITE CHMOD 600 moved.txt\r\nDELE moved.txt\r\nCDUP\r\nRMD made "here"\r\nLIST -a\r\nABOR\r\nNOOP\r\nQUIT\r\n',
);
const FILES = [{ id: 'hello', path: '/docs/hello.txt', content: 'hello\n' }];

const MUTATIONS = 10_000;
const AT_ONCE = 100;
const INSERTS = [
  '\r',
  '\n',
  '\0',
  '\xff\xf4',
  '../',
  'CWD ',
  'EPSV 1\r\n',
  'AUTH TLS\r\n',
  'REST 99999999999\r\n',
  ' ',
  '"',
];

/** What comes back for a session, as text. */
async function exchange(port: number, bytes: Buffer): Promise<string> {
  return (await playSession(port, bytes)).toString();
}

async function checkRealClient(port: number): Promise<void> {
  const client = await openClient(port);
  await upload(client, '/well.txt', 'well');
  expect(await download(client, '/well.txt')).toBe('well');
}

afterEach(() => {
  jest.useRealTimers();
});

describe('bytes that are no session', () => {
  it('is a session that works before it is changed', async () => {
    const { port } = await startHost({ files: FILES });
    const codes = (await exchange(port, SESSION)).match(/^\d{3} /gm) ?? [];
    expect(codes.join('')).toBe(
      '220 331 230 211 200 200 257 200 213 213 350 229 150 425 257 250 200 227 150 425 350 250 250 502 502 502 212 200 250 250 250 425 226 200 221 ',
    );
  });

  it(`end ${MUTATIONS} times in replies or the close of their connection`, async () => {
    const { port, host, log } = await startHost({ files: FILES });
    const below = mulberry32(20_240_501);
    for (let done = 0; done < MUTATIONS; done += AT_ONCE) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => exchange(port, mutate(SESSION, below, INSERTS))),
      );
      for (const answer of answers) expect(answer === '' || /^220[- ]/.test(answer)).toBe(true);
      if (done % 1000 === 0) host.reset();
    }
    expect(log).toEqual([]);
    host.reset();
    await checkRealClient(port);
  }, 60_000);

  it.each([
    ['an HTTP request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', /^500 /],
    ['a TLS hello', Buffer.from('16030100a5010000a10303\n'), /^50[02] /],
    ['a line without end', 'A'.repeat(5000), /^500 /],
    ['a NUL', 'USER a\0b\r\n', /^500 /],
    ['a binary line', Buffer.of(1, 2, 3, 13, 10), /^500 /],
  ])('get an error: %s', async (_name, bytes, expected) => {
    const { port } = await startHost();
    const client = await RawClient.open(port);
    client.send(bytes);
    expect(await client.next()).toMatch(expected);
    client.send('A\r\n'.repeat(30));
    await client.closes();
    await checkRealClient(port);
  });

  it('that are not UTF-8 are names like others, and harm nothing', async () => {
    const { port } = await startHost();
    const client = await RawClient.login(port);
    client.send(Buffer.from('MKD \xe9t\xe9\r\n', 'latin1'));
    expect(await client.next()).toMatch(/^257 /);
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(await client.ask(name)).toMatch(/^502 /);
      expect(await client.ask(`SIZE ${name}`)).toMatch(/^550 /);
      expect(await client.ask(`MKD ${name}`)).toMatch(/^257 /);
    }
    await checkRealClient(port);
  });
});

describe('clients that leave or stall', () => {
  it('lose only their own upload', async () => {
    const { port, host } = await startHost({ files: FILES });
    const client = await RawClient.login(port);
    const data = await client.passive();
    expect(await client.ask('STOR /half')).toMatch(/^150 /);
    data.write(Buffer.alloc(100_000));
    client.send('ABOR\r\n');
    expect(await client.next()).toMatch(/^426 /);
    expect(await client.next()).toMatch(/^226 /);
    expect(await client.ask('SIZE /half')).toMatch(/^550 /);
    const second = await client.passive();
    expect(await client.ask('STOR /half')).toMatch(/^150 /);
    second.write('x');
    abandon(client.socket);
    await eventually(() => host.journal.list().filter((entry) => entry['aborted'] === true).length === 1);
    await checkRealClient(port);
  });

  it('and never read take no room and hold up nobody', async () => {
    const big = Buffer.alloc(20_000_000).toString('base64');
    const { port } = await startHost({ files: [{ path: '/big', content: big, encoding: 'base64' }] });
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 10; n += 1) {
      const client = await RawClient.login(port);
      (await client.passive()).pause();
      expect(await client.ask('RETR /big')).toMatch(/^150 /);
    }
    await checkRealClient(port);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });

  it('and ask without reading are not answered without end', async () => {
    const files = Array.from({ length: 2000 }, (_, n) => ({ path: `/f/${n}`, content: '' }));
    const { port, host } = await startHost({ files });
    const client = await RawClient.login(port);
    client.socket.pause();
    client.send('STAT /f\r\n'.repeat(2000));
    await checkRealClient(port);
    expect(host.journal.list().length).toBeLessThan(500);
  });

  it('and connect from elsewhere, or twice, get nothing', async () => {
    const { port } = await startHost({ files: FILES });
    const client = await RawClient.login(port);
    const dataPort = portOf(await client.ask('EPSV'));
    const stranger = net.connect({ port: dataPort, host: '127.0.0.1', localAddress: '127.0.0.9' });
    stranger.on('error', () => undefined);
    await once(stranger, 'close');
    const own = await connectData(dataPort);
    const received = readAll(own);
    const late = net.connect({ port: dataPort, host: '127.0.0.1' });
    late.on('error', () => undefined);
    await once(late, 'close');
    expect(await client.ask('RETR /docs/hello.txt')).toMatch(/^150 /);
    expect((await received).toString()).toBe('hello\n');
  });

  it('keep a passive port for 30 seconds and no longer', () => {
    jest.useFakeTimers();
    const release = jest.fn<(grace: number) => void>();
    new PassiveChannel(release, 1000);
    jest.advanceTimersByTime(29_000);
    expect(release).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1000);
    expect(release).toHaveBeenCalledTimes(1);
  });
});

describe('ftp-srv', () => {
  it('adds no listeners to the process', async () => {
    const count = (): number[] => ['SIGTERM', 'SIGINT', 'SIGQUIT'].map((name) => process.listenerCount(name));
    const own = (): void => undefined;
    process.on('SIGINT', own);
    const before = count();
    await loadLibrary(() => true);
    expect(count()).toEqual(before);
    expect(process.listeners('SIGINT')).toContain(own);
    process.off('SIGINT', own);
  });
});
