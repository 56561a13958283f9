import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { encode, RawClient, startHost } from './support.js';

async function userOf(client: RawClient): Promise<string | undefined> {
  return / user=(\S*) /.exec(await client.ask('CLIENT INFO'))?.[1];
}

describe('users', () => {
  it('a client is the user that has logged in, until it is reset', async () => {
    const { port } = await startHost();
    const client = new RawClient(port);
    expect(await userOf(client)).toBe('default');
    expect(await client.ask('AUTH ada secret')).toBe('+OK\r\n');
    expect(await userOf(client)).toBe('ada');
    expect(await client.ask('ACL WHOAMI')).toBe('$3\r\nada\r\n');
    await client.ask('HELLO 2 AUTH bob secret');
    expect(await userOf(client)).toBe('bob');
    expect(await client.ask('RESET')).toBe('+RESET\r\n');
    expect(await userOf(client)).toBe('default');
  });

  it('a login that fails changes nobody', async () => {
    const { port } = await startHost({ password: 'secret' });
    const client = new RawClient(port);
    expect(await client.ask('AUTH secret')).toBe('+OK\r\n');
    expect(await client.ask('AUTH ada secret')).toContain('WRONGPASS');
    expect(await userOf(client)).toBe('default');
  });

  it('the clients of one user are ended', async () => {
    const { port } = await startHost();
    const [ada, bob] = [new RawClient(port), new RawClient(port)];
    await ada.ask('AUTH ada x');
    await bob.ask('AUTH bob x');
    expect(await bob.ask('CLIENT KILL USER nobody')).toBe(':0\r\n');
    expect(await bob.ask('CLIENT KILL USER ada')).toBe(':1\r\n');
    expect(await ada.untilClosed()).toBe('');
    expect(await bob.ask('PING')).toBe('+PONG\r\n');
  });

  it('no name of a user adds a line or a field to the list of clients', async () => {
    const { port } = await startHost();
    const client = new RawClient(port);
    client.send(encode('AUTH', `x\nid=7 user=root ${'y'.repeat(1000)}`, 'secret'));
    expect(await client.reply()).toBe('+OK\r\n');
    expect(await userOf(client)).toMatch(/^x_id=7_user=root_y{111}$/);
  });

  itWithTool('redis-server', 'the categories of commands are those of Redis', async () => {
    const { port } = await startHost();
    const [ours, theirs] = [new RawClient(port), new RawClient(await startReference())];
    for (const command of ['ACL CAT', 'ACL CAT nothing', 'ACL CAT read write', 'ACL USERS', 'ACL WHOAMI'])
      expect(await ours.ask(command)).toBe(await theirs.ask(command));
  });
});
