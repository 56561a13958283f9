import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, type Host, type Space } from '@backlot/core';
import { createTransport } from 'nodemailer';
import { smtp } from '../src/index.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

async function start(settings: object = {}): Promise<{ host: Host; port: number }> {
  host = await createHost({ protocols: [smtp], settings: { smtp: { host: '127.0.0.1', ...settings } } });
  await host.start();
  return { host, port: host.kind(smtp).address?.port ?? 0 };
}

async function send(port: number, user: string, subject: string, pass = 'x'): Promise<string> {
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    tls: { rejectUnauthorized: false },
    ...(user === '' ? {} : { auth: { user, pass } }),
  });
  const { response } = await transport.sendMail({ from: 'a@x.test', to: 'b@x.test', subject, text: subject });
  return response;
}

function subjects(world: Host | Space): unknown[] {
  const of = 'host' in world ? world.host : world;
  return (of.kind(smtp).captures?.values() ?? []).map(({ subject }) => subject);
}

describe('a login that names a space', () => {
  it('leads to its inbox and its rules', async () => {
    const { host, port } = await start();
    const [one, two] = [await host.spaces.create({ id: 't1' }), await host.spaces.create({ id: 't2' })];
    await send(port, 't1', 'one');
    await send(port, 't1+ann', 'more');
    await send(port, 't2', 'two');
    await send(port, 'ann', 'main');
    await send(port, '', 'nobody');
    expect(subjects(one)).toEqual(['one', 'more']);
    expect(subjects(two)).toEqual(['two']);
    expect(subjects(host)).toEqual(['main', 'nobody']);
    one.host.kind(smtp).mocks.create({ from: '*', action: 'reject', message: 'not here' });
    await expect(send(port, 't1', 'refused')).rejects.toThrow('not here');
    await send(port, 't2', 'taken');
    expect(subjects(two)).toEqual(['two', 'taken']);
  });

  it('needs the password of its user', async () => {
    const { host, port } = await start({ users: [{ username: 'ann', password: 'secret' }] });
    const space = await host.spaces.create({ id: 't1' });
    await expect(send(port, 't1+ann', 'x', 'wrong')).rejects.toThrow('535');
    await send(port, 't1+ann', 'right', 'secret');
    expect(subjects(space)).toEqual(['right']);
  });
});
