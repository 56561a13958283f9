import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, type Host } from '@backlot/core';
import { redis } from '../src/index.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

async function start(settings: object = {}): Promise<{ host: Host; port: number }> {
  host = await createHost({ protocols: [redis], settings: { redis: { host: '127.0.0.1', ...settings } } });
  await host.start();
  return { host, port: host.kind(redis).address?.port ?? 0 };
}

/** Sends commands at once, and answers what came until a reply to PING. */
async function say(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1').write(`${text}\r\nPING end\r\n`);
  let received = '';
  while (!/end\r\n|NOAUTH/.test(received)) received += ((await once(socket, 'data')) as [string])[0];
  socket.destroy();
  return received.replace('$3\r\nend\r\n', '');
}

describe('a login that names a space', () => {
  it('leads to its data and mocks, with what was sent behind it', async () => {
    const { host, port } = await start({
      mocks: [{ command: 'GET', key: 'm', response: { type: 'string', value: 'file' } }],
    });
    await host.spaces.create({ id: 't1' });
    await host.spaces.create({ id: 't2' });
    const inSpace = host.spaces.get('t1').host.kind(redis);
    inSpace.mocks.create({ command: 'GET', key: 'own', response: { type: 'string', value: 'mine' } });
    expect(await say(port, 'AUTH t1 x\r\nSET k one\r\nGET own\r\nGET m')).toBe(
      '+OK\r\n+OK\r\n+mine\r\n+file\r\n',
    );
    expect(await say(port, 'AUTH t1+ann x\r\nGET k')).toBe('+OK\r\n$3\r\none\r\n');
    expect(await say(port, 'AUTH t2 x\r\nGET k')).toBe('+OK\r\n$-1\r\n');
    expect(await say(port, 'GET k\r\nGET own')).toBe('$-1\r\n$-1\r\n');
    expect(await say(port, 'AUTH t12 x')).toBe('+OK\r\n');
    expect(host.journal.list().filter(({ path }) => path === 'own')).toHaveLength(1);
    expect(host.spaces.get('t1').host.journal.count({ matchedId: 'x' }).count).toBe(0);
    expect(await say(inSpace.address?.port ?? 0, 'AUTH t1 x\r\nGET k')).toBe('+OK\r\n$3\r\none\r\n');
  });

  it('takes over what the client has said before, and is a connection of the space', async () => {
    const { host, port } = await start();
    const space = await host.spaces.create({ id: 't1' });
    const socket = connect(port, '127.0.0.1');
    socket
      .setEncoding('latin1')
      .write('CLIENT SETNAME me\r\nHELLO 3 AUTH t1 x\r\nCLIENT GETNAME\r\nPING end\r\n');
    let received = '';
    while (!received.includes('end\r\n')) received += ((await once(socket, 'data')) as [string])[0];
    expect(received).toContain('%7\r\n');
    expect(received).toContain('$2\r\nme\r\n');
    expect(host.kind(redis).connections.list()).toEqual([]);
    expect(space.host.kind(redis).connections.list()).toMatchObject([{ client: 'me' }]);
    expect(host.kind(redis).status()['connections']).toBe(0);
    const closed = once(socket, 'close');
    await host.spaces.remove('t1');
    await closed;
  });

  it('needs the password of the user in the space', async () => {
    const { host, port } = await start({ password: 'secret' });
    await host.spaces.create({ id: 't1' });
    expect(await say(port, 'AUTH t1 wrong')).toMatch(/^-WRONGPASS/);
    expect(await say(port, 'AUTH t1 secret\r\nDBSIZE')).toBe('+OK\r\n:0\r\n');
  });
});
