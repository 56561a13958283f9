import { describe, expect, it } from '@jest/globals';
import { addSpaces, itWithTool, runTool } from '@backlot/conformance';
import { download, openClient, startHost, upload } from './support.js';

const FILE = { id: 'hello', path: '/hello.txt', content: 'main' };

describe('a user that names a space', () => {
  it('has the files of the space', async () => {
    const running = await startHost({ files: [FILE] });
    const { t1, t2, main } = await addSpaces(running);
    t1.mocks.replace('hello', { ...FILE, content: 'one' });
    const names = ['ann', 't1', 't2+ann', 't3'];
    const clients = await Promise.all(names.map((user) => openClient(running.port, { user, password: 'x' })));
    const texts = await Promise.all(clients.map((client) => download(client, '/hello.txt')));
    expect(texts).toEqual(['main', 'one', 'main', 'main']);
    await upload(clients[1] as never, '/new.txt', 'of one');
    expect(await Promise.all(clients.map(async (client) => (await client.list('/')).length))).toEqual([
      1, 2, 1, 1,
    ]);
    expect(
      [main, t1, t2].map((kind) =>
        kind.connections
          .list()
          .map(({ user }) => user)
          .sort(),
      ),
    ).toEqual([['ann', 't3'], ['t1'], ['ann']]);
    await clients[0]?.login('t1', 'x');
    expect(await download(clients[0] as never, '/new.txt')).toBe('of one');
    await running.host.spaces.remove('t1');
    await expect(clients[1]?.list('/')).rejects.toThrow();
    expect(await download(await openClient(running.port, { user: 't1', password: 'x' }), '/hello.txt')).toBe(
      'main',
    );
  });

  it('needs the password of the user in the space, also with TLS', async () => {
    const users = [{ username: 'ann', password: 'secret' }];
    const running = await startHost({ files: [FILE], users, tls: { mode: 'starttls' } });
    const { t1 } = await addSpaces(running);
    t1.mocks.replace('hello', { ...FILE, content: 'one' });
    await expect(openClient(running.port, { user: 't1+ann', password: 'x' })).rejects.toThrow('530');
    const client = await openClient(running.port, { user: 't1+ann', password: 'secret', secure: true });
    expect(await download(client, '/hello.txt')).toBe('one');
  });

  itWithTool('curl', 'works for curl', async () => {
    const running = await startHost({ files: [FILE] });
    const { t1 } = await addSpaces(running);
    t1.mocks.replace('hello', { ...FILE, content: 'one' });
    const { out } = await runTool('curl', [
      '-sS',
      '--max-time',
      '10',
      '-u',
      't1:x',
      `ftp://127.0.0.1:${running.port}/hello.txt`,
    ]);
    expect(out).toBe('one');
  });
});
