import net from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@backlot/conformance';
import { afterThis, connectData, portOf, RawClient, readAll, startHost } from './support.js';

const files = [
  { id: 'a', path: '/a.txt', content: 'one\ntwo\r\n' },
  { id: 'b', path: '/dir/b.txt', content: 'b' },
];

/** Listens as a client in active mode does. */
async function listen(host = '127.0.0.1'): Promise<{ port: number; received: Promise<Buffer> }> {
  const server = net.createServer();
  afterThis(() => server.close());
  server.listen(0, host);
  await once(server, 'listening');
  const received = once(server, 'connection').then(([socket]) => readAll(socket as net.Socket));
  return { port: (server.address() as net.AddressInfo).port, received };
}

const portArgument = (host: string, port: number): string =>
  [...host.split('.'), port >> 8, port & 255].join(',');

describe('commands', () => {
  it('greet, tell what they can, and answer what is unknown', async () => {
    const { port } = await startHost({ files });
    const client = await RawClient.open(port);
    expect(await client.ask('FEAT')).toBe(
      '211-Features:\n EPRT\n EPSV\n MDTM\n MFMT\n MLST type*;size*;modify*;perm*;UNIX.mode*;\n PASV\n REST STREAM\n SIZE\n TVFS\n UTF8\n211 End',
    );
    expect(await client.ask('PWD')).toMatch(/^530 /);
    expect(await client.ask('SYST')).toMatch(/^530|^215 /);
    expect(await client.ask('PASS x')).toMatch(/^503 /);
    expect(await client.ask('USER')).toMatch(/^501 /);
    expect(await client.ask('USER ann')).toMatch(/^331 /);
    expect(await client.ask('PASS')).toMatch(/^230 /);
    expect(await client.ask('pwd')).toBe('257 "/" is the current directory');
    for (const [line, code] of [
      ['NOOP', 200],
      ['SYST', 215],
      ['MODE S', 200],
      ['MODE B', 504],
      ['STRU F', 200],
      ['STRU P', 504],
      ['ALLO 100', 202],
      ['TYPE A N', 200],
      ['TYPE E', 504],
      ['TYPE X', 501],
      ['TYPE L 8', 200],
      ['OPTS', 501],
      ['OPTS UTF8 ON', 200],
      ['OPTS UTF8 OFF', 504],
      ['OPTS MLST type;size;', 200],
      ['HELP', 214],
      ['HELP retr', 214],
      ['HELP nothing', 502],
      ['STAT', 211],
      ['STAT /dir', 212],
      ['STAT /none', 550],
      ['SITE HELP', 214],
      ['SITE EXEC ls', 504],
      ['ACCT x', 202],
      ['AUTH TLS', 502],
      ['AUTH GSSAPI', 504],
      ['PBSZ 0', 503],
      ['PROT P', 503],
      ['CCC', 534],
      ['REST -1', 501],
      ['REST 0', 350],
      ['RNTO /x', 503],
      ['RETR', 501],
      ['RETR /a.txt', 425],
      ['RETR /dir', 550],
      ['STOR /dir', 553],
      ['STOR /none/x', 553],
      ['SIZE /a.txt', 213],
      ['MDTM /dir', 550],
      ['MFMT 20240102030405 /a.txt', 213],
      ['MFMT yesterday /a.txt', 501],
      ['ABOR', 226],
      ['NOTHING', 502],
      ['REIN', 220],
      ['PWD', 530],
    ] as const) {
      const reply = await client.ask(line);
      expect(`${line}: ${reply.slice(0, 3)}`).toBe(`${line}: ${code}`);
    }
    expect(await client.ask('QUIT')).toMatch(/^221 /);
    expect(await client.next()).toBe('closed');
  });

  it('answer lines that come together in their order, and in pieces', async () => {
    const { port } = await startHost({ files });
    const client = await RawClient.open(port);
    client.send('US');
    client.send('ER a\r\nPASS b\r\nCWD dir\nPWD\r\nSIZE b.txt\r\nCDUP\r\nPWD\r\nQUIT\r\nNOOP\r\n');
    const replies = [];
    for (let reply = await client.next(); reply !== 'closed'; reply = await client.next()) {
      replies.push(reply.slice(0, 10).trim());
    }
    expect(replies).toEqual([
      '331 the pa',
      '230 logged',
      '250 now in',
      '257 "/dir"',
      '213 1',
      '250 now in',
      '257 "/" is',
      '221 goodby',
    ]);
  });

  it('never leave the tree', async () => {
    const { port } = await startHost({ files });
    const client = await RawClient.login(port);
    for (const path of [
      '../../etc/passwd',
      '/../etc/passwd',
      '/dir/../../../etc/passwd',
      '..\\..\\etc\\passwd',
      '~root',
    ]) {
      expect(await client.ask(`SIZE ${path}`)).toMatch(/^550 /);
      await client.passive();
      expect(await client.ask(`RETR ${path}`)).toMatch(/^550 /);
    }
    expect(await client.ask('CWD ../../..')).toMatch(/^250 /);
    expect(await client.ask('PWD')).toMatch(/^257 "\/" /);
    expect(await client.ask('SIZE ../../../dir/./b.txt')).toBe('213 1');
  });

  it('convert the ends of lines in TYPE A', async () => {
    const { port } = await startHost({ files });
    const client = await RawClient.login(port);
    await client.ask('TYPE A');
    expect(await client.ask('SIZE /a.txt')).toBe('213 10');
    const data = await client.passive();
    const received = readAll(data);
    expect(await client.ask('RETR /a.txt')).toMatch(/^150 /);
    expect((await received).toString()).toBe('one\r\ntwo\r\n');
    expect(await client.next()).toMatch(/^226 /);
  });
});

describe('data connections', () => {
  it('are made to the port of PORT and EPRT', async () => {
    const { port } = await startHost({ files });
    const client = await RawClient.login(port);
    for (const command of ['PORT', 'EPRT']) {
      const { port: own, received } = await listen();
      const argument = command === 'PORT' ? portArgument('127.0.0.1', own) : `|1|127.0.0.1|${own}|`;
      expect(await client.ask(`${command} ${argument}`)).toMatch(/^200 /);
      expect(await client.ask('NLST dir')).toMatch(/^150 /);
      expect((await received).toString()).toBe('dir/b.txt\r\n');
      expect(await client.next()).toMatch(/^226 /);
    }
    const closed = await freePort();
    expect(await client.ask(`PORT ${portArgument('127.0.0.1', closed)}`)).toMatch(/^200 /);
    expect(await client.ask('LIST')).toMatch(/^150 /);
    expect(await client.next()).toMatch(/^425 /);
  });

  it.each([
    'PORT 192,0,2,1,200,200',
    'PORT 8,8,8,8,0,80',
    'PORT 127,0,0,2,200,200',
    'PORT 0,0,0,0,200,200',
    'PORT 127,0,0,1,0,80',
    'PORT 127,0,0,1,3,255',
    'PORT 127,0,0,1,300,1',
    'PORT 127,0,0,1',
    'PORT',
    'EPRT |1|192.0.2.1|50000|',
    'EPRT |2|2001:db8::1|50000|',
    'EPRT |2|::ffff:192.0.2.1|50000|',
    'EPRT |2|::ffff:c000:201|50000|',
    'EPRT |2|::1|50000|',
    'EPRT |2|::|50000|',
    'EPRT |1|0.0.0.0|50000|',
    'EPRT |1|127.0.0.2|50000|',
    'EPRT |2|::ffff:127.0.0.2|50000|',
    'EPRT |1|127.0.0.1|25|',
    'EPRT |1|127.0.0.1|99999|',
    'EPRT |1|localhost|50000|',
    'EPRT |3|x|50000|',
    'EPRT ||||',
    'EPRT',
  ])('are never made to a third address: %s', async (line) => {
    const { port } = await startHost({ files });
    const client = await RawClient.login(port);
    expect(await client.ask(line)).toMatch(/^(?:500|501|522) /);
    expect(await client.ask('LIST')).toMatch(/^425 /);
  });

  /** The first of two neighbouring ports that are free. */
  async function freeNeighbours(): Promise<number> {
    for (;;) {
      const first = await freePort();
      const next = net.createServer();
      const isFree = await new Promise<boolean>((resolve) =>
        next.once('error', () => resolve(false)).listen(first + 1, '127.0.0.1', () => resolve(true)),
      );
      if (!isFree) continue;
      await new Promise((resolve) => next.close(resolve));
      return first;
    }
  }

  it('use the ports and the address of the configuration', async () => {
    const first = await freeNeighbours();
    const { port } = await startHost({
      files,
      passive_port_start: first,
      passive_port_end: first + 1,
      passive_host: '192.0.2.7',
    });
    const clients = [await RawClient.login(port), await RawClient.login(port), await RawClient.login(port)];
    const replies = [];
    for (const client of clients) replies.push(await client.ask('PASV'));
    expect(replies.slice(0, 2).map(portOf)).toEqual([first, first + 1]);
    expect(replies[0]).toContain('(192,0,2,7,');
    expect(replies[2]).toMatch(/^425 /);
    clients[0]?.send('QUIT\r\n');
    await clients[0]?.closes();
    expect(portOf((await clients[2]?.ask('PASV')) ?? '')).toBe(first);
  });

  it('take EPSV in all its forms', async () => {
    const { port } = await startHost({ files, host: 'localhost' });
    const client = await RawClient.login(port, '::1');
    expect(await client.ask('PASV')).toMatch(/^425 /);
    expect(await client.ask('EPSV 1')).toBe('522 network protocol not supported, use (2)');
    expect(await client.ask('EPSV x')).toMatch(/^501 /);
    expect(await client.ask('EPSV 2')).toMatch(/^229 /);
    expect(await client.ask('EPSV ALL')).toMatch(/^200 /);
    expect(await client.ask('EPRT |2|::1|50000|')).toMatch(/^503 /);
    const received = readAll(await client.passive());
    expect(await client.ask('RETR dir/b.txt')).toMatch(/^150 /);
    expect((await received).toString()).toBe('b');
    expect(await client.next()).toMatch(/^226 /);
  });

  it('go past ports that others have', async () => {
    const { port } = await startHost({ files });
    const client = await RawClient.login(port);
    const first = portOf(await client.ask('EPSV'));
    const others: net.Server[] = [];
    for (const taken of [first + 1, first + 2]) {
      const other = net.createServer();
      others.push(other);
      await new Promise<void>((resolve) => {
        // Somebody else may have it already.
        other.once('error', () => resolve());
        other.listen(taken, '127.0.0.1', resolve);
      });
    }
    expect(await client.ask('EPSV')).toMatch(/^229 /);
    for (const other of others) other.close();
  });

  it('leave no listener behind: one per client, and none after it has gone', async () => {
    const { port } = await startHost({ files });
    const client = await RawClient.login(port);
    const ports: number[] = [];
    for (let n = 0; n < 50; n += 1) ports.push(portOf(await client.ask('EPSV')));
    await expect(connectData(ports[0] ?? 0)).rejects.toThrow();
    await expect(connectData(ports[48] ?? 0)).rejects.toThrow();
    (await connectData(ports[49] ?? 0)).destroy();
    const last = portOf(await client.ask('EPSV'));
    client.socket.destroy();
    let isOpen = true;
    await eventually(() => {
      connectData(last).then(
        (socket) => socket.destroy(),
        () => (isOpen = false),
      );
      return !isOpen;
    });
    expect(isOpen).toBe(false);
  });

  it('are given up by ABOR', async () => {
    const { port, host } = await startHost({
      files: [
        { id: 'big', path: '/big', content: Buffer.alloc(20_000_000).toString('base64'), encoding: 'base64' },
        ...files,
      ],
    });
    const client = await RawClient.login(port);
    const data = await client.passive();
    data.pause();
    expect(await client.ask('RETR /big')).toMatch(/^150 /);
    client.send(Buffer.from('\xff\xf4\xf2ABOR\r\n', 'latin1'));
    expect(await client.next()).toMatch(/^426 /);
    expect(await client.next()).toMatch(/^226 /);
    host.kind('ftp').mocks.replace('a', { path: '/a.txt', content: 'late', delay: '1h' });
    await client.passive();
    client.send('RETR /a.txt\r\n');
    await eventually(() => host.kind('ftp').calls.of('a').count === 1);
    expect(await client.ask('ABOR')).toMatch(/^426 /);
    expect(await client.next()).toMatch(/^226 /);
    expect(await client.ask('SIZE /dir/b.txt')).toBe('213 1');
  });
});
