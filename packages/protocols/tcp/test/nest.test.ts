import { describe, expect, it } from '@jest/globals';
import { collectCleanups, eventually } from '@backlot/conformance';
import { ClientTCP } from '@nestjs/microservices';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { Client, startHost } from './support.js';

const afterThis = collectCleanups();

const SUM = {
  id: 'sum',
  body_json: { 'pattern.cmd': 'sum' },
  json: { id: '{{request.body.id}}', response: '{{request.body.data.total}}', isDisposed: true },
};

async function connect(port: number): Promise<ClientTCP> {
  const client = new ClientTCP({ host: '127.0.0.1', port });
  await client.connect();
  afterThis(() => client.close());
  return client;
}

describe('a client of the TCP transport of Nest', () => {
  it('is answered with the id of its request, many at once', async () => {
    const { port } = await startHost({ framing: 'nest', mocks: [SUM] });
    const client = await connect(port);
    const totals = Array.from({ length: 50 }, (_, total) => total);
    const answers = await Promise.all(
      totals.map((total) => lastValueFrom(client.send<number>({ cmd: 'sum' }, { total }))),
    );
    expect(answers).toEqual(totals);
  });

  it('sends characters of any size, of which the length counts the UTF-16 units', async () => {
    const { port } = await startHost({ framing: 'nest', mocks: [SUM] });
    const client = await connect(port);
    const total = 'é €, 😀 and plain';
    const twice = [0, 1].map(() => firstValueFrom(client.send<string>({ cmd: 'sum' }, { total })));
    expect(await Promise.all(twice)).toEqual([total, total]);
  });

  it('is given an error of the mock, and the error of Nest where no mock matches', async () => {
    const { port } = await startHost({
      framing: 'nest',
      mocks: [
        {
          body_json: { pattern: 'fail' },
          json: { id: '{{request.body.id}}', err: { status: 'error', message: 'no' } },
        },
      ],
    });
    const client = await connect(port);
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toEqual({ status: 'error', message: 'no' });
    await expect(firstValueFrom(client.send('other', {}))).rejects.toBe(
      'There is no matching message handler defined in the remote service.',
    );
  });

  it('emits events, which captures read and nothing answers', async () => {
    const { host, port } = await startHost({
      framing: 'nest',
      mocks: [
        {
          id: 'made',
          body_json: { pattern: 're:^(?<what>\\w+)\\.created$' },
          set_state: { made: '{{request.params.what}}' },
        },
      ],
    });
    const client = await connect(port);
    await lastValueFrom(client.emit('order.created', { id: 7 }), { defaultValue: undefined });
    await lastValueFrom(client.emit('nobody', {}), { defaultValue: undefined });
    await eventually(() => host.journal.list().length === 2);
    expect(host.kind('tcp').calls.of('made').count).toBe(1);
    expect(host.state.all()['made']).toBe('order');
  });
});

describe('bytes that are no message of Nest', () => {
  it.each(['x#{}', '#{}', '99999999999#', '-1#', '1048577#', '1#😀'])('%s closes', async (bytes) => {
    const { port } = await startHost({ framing: 'nest', mocks: [SUM] });
    const client = await Client.connect(port);
    await client.send(bytes);
    expect(await client.closes()).toBe('end');
    expect(client.text).toBe('');
  });

  it('in pieces of one byte are a message', async () => {
    const { port } = await startHost({ framing: 'nest', mocks: [{ match: '"😀é"', response: '€' }] });
    const client = await Client.connect(port);
    for (const byte of Buffer.from('5#"😀é"')) await client.send(Buffer.of(byte));
    expect(await client.receives('1#€')).toBe('1#€');
  });
});
