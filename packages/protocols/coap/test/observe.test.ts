import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import type { Host } from '@backlot/core';
import { NodeClient, optionOf, RawClient, startHost } from './support.js';

const SENSOR = { id: 'sensor', path: '/sensor', response: { payload: '20' } };
const REGISTER = { options: [{ name: 'Observe' as const, value: Buffer.alloc(0) }] };
const DEREGISTER = { options: [{ name: 'Observe' as const, value: Buffer.of(1) }] };

function replace(host: Host, payload: string): void {
  host.kind('coap').mocks.replace('sensor', { path: '/sensor', response: { payload } });
}

function observersOf(host: Host): unknown {
  return host.kind('coap').status()['observers'];
}

function acknowledge(client: RawClient, messageId: number, type = 0x60): Promise<void> {
  return client.send(Buffer.of(type, 0, messageId >> 8, messageId & 0xff));
}

describe('observers', () => {
  it('are told when the mock is replaced, patched, switched by state, reset, and gone', async () => {
    const { port, host } = await startHost([
      SENSOR,
      {
        id: 'alarm',
        path: '/sensor',
        priority: 1,
        state: { key: 'mode', value: 'alarm' },
        response: { payload: 'alarm in {{request.path}}' },
      },
    ]);
    host.scenarios.create({ id: 'hot', patches: [{ mock_id: 'sensor', body: '90' }] });
    const { told } = await new NodeClient(port).observe({ pathname: '/sensor' });
    const expected = ['2.05 20'];
    const next = async (text: string): Promise<void> => {
      expected.push(`2.05 ${text}`);
      await eventually(() => told.length === expected.length);
      expect(told).toEqual(expected);
    };
    await eventually(() => told.length === 1);
    replace(host, '21');
    await next('21');
    host.scenarios.activate('hot');
    await next('90');
    host.scenarios.deactivate('hot');
    await next('21');
    host.state.setAll({ mode: 'alarm' });
    await next('alarm in /sensor');
    host.state.delete('mode');
    await next('21');
    host.reset();
    await next('20');
    expect(host.kind('coap').calls.of('sensor').count).toBe(0);
    expect(observersOf(host)).toBe(1);
    host.kind('coap').mocks.remove('sensor');
    await eventually(() => observersOf(host) === 0);
  });

  it('hear nothing of what leaves their answer as it is', async () => {
    const { port, host } = await startHost([SENSOR]);
    const client = new RawClient(port);
    const answer = await client.ask(client.make('/sensor', REGISTER));
    expect(optionOf(answer, 'Observe')).toBeDefined();
    expect(optionOf(answer, 'Max-Age')?.readUIntBE(0, 3)).toBe(90_000);
    host.kind('coap').mocks.create({ path: '/else' });
    replace(host, '20');
    await client.settle();
    expect(client.spare).toBe(0);
  });

  it('are told once of many changes in a row, and of the newest while one is under way', async () => {
    const { port, host } = await startHost([SENSOR]);
    const client = new RawClient(port);
    const request = client.make('/sensor', REGISTER);
    const first = await client.ask(request);
    for (let n = 0; n < 10; n += 1) replace(host, `a${n}`);
    const notification = await client.receive();
    expect([notification.confirmable, notification.payload.toString()]).toEqual([true, 'a9']);
    expect(notification.token).toEqual(request.token);
    for (const payload of ['b1', 'b2']) {
      replace(host, payload);
      await client.settle();
    }
    expect(client.spare).toBe(0);
    await acknowledge(client, notification.messageId);
    const newest = await client.receive();
    expect(newest.payload.toString()).toBe('b2');
    const numberOf = (packet: typeof first): number => optionOf(packet, 'Observe')?.readUIntBE(0, 1) ?? 0;
    expect(numberOf(notification)).toBeGreaterThan(numberOf(first));
    expect(numberOf(newest)).toBeGreaterThan(numberOf(notification));
    await acknowledge(client, newest.messageId);
  });

  it('are not confirmable for who asked so, but for every fifth', async () => {
    const { port, host } = await startHost([SENSOR]);
    const client = new RawClient(port);
    await client.ask(client.make('/sensor', { confirmable: false, ...REGISTER }));
    const types: boolean[] = [];
    for (let n = 1; n <= 6; n += 1) {
      replace(host, `v${n}`);
      const { confirmable, payload, messageId } = await client.receive();
      expect(payload.toString()).toBe(`v${n}`);
      types.push(confirmable);
      if (confirmable) await acknowledge(client, messageId);
      await client.settle();
    }
    expect(types).toEqual([false, false, false, false, true, false]);
  });

  it.each([
    ['a Reset of a confirmable notification', true],
    ['a Reset of another', false],
  ])('are gone after %s', async (_name, confirmable) => {
    const { port, host } = await startHost([SENSOR]);
    const client = new RawClient(port);
    await client.ask(client.make('/sensor', { confirmable, ...REGISTER }));
    replace(host, '21');
    const { messageId } = await client.receive();
    expect(observersOf(host)).toBe(1);
    await acknowledge(client, messageId, 0x70);
    await client.settle();
    expect(observersOf(host)).toBe(0);
    replace(host, '22');
    await client.settle();
    expect(client.spare).toBe(0);
  });

  it('deregister, and an error ends it', async () => {
    const { port, host } = await startHost([SENSOR]);
    const client = new RawClient(port);
    const token = Buffer.from('same');
    await client.ask(client.make('/sensor', { token, ...REGISTER }));
    await client.ask(client.make('/sensor', { token, ...REGISTER }));
    expect(observersOf(host)).toBe(1);
    const answer = await client.ask(client.make('/sensor', { token, ...DEREGISTER }));
    expect([answer.code, optionOf(answer, 'Observe'), observersOf(host)]).toEqual(['2.05', undefined, 0]);
    await client.ask(client.make('/sensor', { token, ...REGISTER }));
    host.kind('coap').mocks.replace('sensor', { path: '/sensor', response: { code: '5.03' } });
    const last = await client.receive();
    expect([last.code, optionOf(last, 'Observe'), observersOf(host)]).toEqual(['5.03', undefined, 0]);
    await acknowledge(client, last.messageId);
    const refused = await client.ask(client.make('/sensor', { token, ...REGISTER }));
    expect([refused.code, observersOf(host)]).toEqual(['5.03', 0]);
  });

  it('are so many and no more', async () => {
    const { port, host } = await startHost([SENSOR]);
    const client = new RawClient(port);
    for (let n = 0; n < 64; n += 1) await client.ask(client.make('/sensor', REGISTER));
    const more = await client.ask(client.make('/sensor', REGISTER));
    expect([more.code, optionOf(more, 'Observe'), observersOf(host)]).toEqual(['2.05', undefined, 64]);
  });

  it('get a large payload in blocks', async () => {
    const { port, host } = await startHost([SENSOR]);
    const client = new NodeClient(port);
    const raw = new RawClient(port);
    await raw.ask(raw.make('/sensor', REGISTER));
    replace(host, 'y'.repeat(3000));
    const notification = await raw.receive();
    expect([notification.payload.length, optionOf(notification, 'Block2')]).toEqual([1024, Buffer.of(0x0e)]);
    await acknowledge(raw, notification.messageId);
    const next = await raw.ask(
      raw.make('/sensor', { options: [{ name: 'Block2', value: Buffer.of(0x26) }] }),
    );
    expect(next.payload).toHaveLength(952);
    expect(host.kind('coap').calls.of('sensor').count).toBe(1);
    expect((await client.ask({ pathname: '/sensor' })).payload).toHaveLength(3000);
  });

  it('stop with the npm client', async () => {
    const { port, host } = await startHost([SENSOR]);
    const client = new NodeClient(port);
    const { stop } = await client.observe({ pathname: '/sensor' });
    // The client closes its socket with its last stream, before it has deregistered.
    const { told } = await client.observe({ pathname: '/sensor' });
    await eventually(() => told.length === 1);
    expect(observersOf(host)).toBe(2);
    stop();
    await eventually(() => observersOf(host) === 1);
  });

  itWithTool('coap-client-notls', 'are told what is emitted, by hand and by a reaction', async () => {
    const { port, host } = await startHost([
      SENSOR,
      { id: 'other', path: '/other', response: { payload: 'x' } },
    ]);
    const emit = (message: object): Promise<unknown> => host.emit('coap', message as never);
    expect(await emit({ path: '/sensor', payload: 'nobody' })).toEqual({ status: 'sent', delivered: 0 });
    const { told } = await new NodeClient(port).observe({ pathname: '/sensor' });
    await eventually(() => told.length === 1);
    const libcoap = runTool('coap-client-notls', ['-s', '2', '-w', `coap://127.0.0.1:${port}/sensor`]);
    await eventually(() => observersOf(host) === 2);
    expect(await emit({ path: '/sensor', payload: '23' })).toEqual({ status: 'sent', delivered: 2 });
    await eventually(() => told.length === 2);
    await host.reactions.create({
      on: { state: { key: 'heat' } },
      do: [{ coap: { path: '/sensor', json: { t: '{{request.value}}' } } }],
    });
    host.state.setAll({ heat: '24' });
    await eventually(() => told.length === 3);
    // The mock answers as before, and tells of its own changes as before.
    replace(host, '25');
    await eventually(() => told.length === 4);
    expect(told).toEqual(['2.05 20', '2.05 23', '2.05 {"t":"24"}', '2.05 25']);
    const lines = (await libcoap).out.split('\n').filter((line) => line !== '');
    expect(lines.slice(0, 3)).toEqual(['20', '23', '{"t":"24"}']);
    // Two have registered, and libcoap has taken that back.
    expect(host.journal.count().count).toBe(3);
    for (const wrong of [
      { payload: 'x' },
      { path: 'sensor', payload: 'x' },
      { path: '/sensor' },
      { path: '/sensor', payload: 'x', json: 1 },
      { path: '/sensor', payload: 'x', content_format: 'nonsense' },
    ])
      await expect(emit(wrong)).rejects.toMatchObject({ code: 'invalid' });
  });

  itWithTool('coap-client-notls', 'are told with libcoap, which cancels at its end', async () => {
    const { port, host } = await startHost([SENSOR]);
    const done = runTool('coap-client-notls', ['-s', '2', '-w', `coap://127.0.0.1:${port}/sensor`]);
    await eventually(() => observersOf(host) === 1);
    replace(host, '21');
    const { out } = await done;
    expect(
      out
        .split('\n')
        .filter((line) => line !== '')
        .slice(0, 2),
    ).toEqual(['20', '21']);
    await eventually(() => observersOf(host) === 0);
  });
});
