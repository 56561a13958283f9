import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { addressForOthers } from '../src/own-address.js';
import { ReplicaKey } from '../src/replica-key.js';
import { ENGINES } from './engines.js';
import { linkTo } from './link.js';
import { afterThis, engineOf, startReplica, until } from './support.js';

interface Entry {
  readonly path: string;
  readonly replica: string;
}

const pathsOf = (body: readonly Entry[]): readonly string[] => body.map(({ path }) => path).toSorted();

describe.each(ENGINES)('what replicas have, with %s', (engine) => {
  itWithTool(engine, 'is told by each of them, and by those alone that have the key', async () => {
    const { url } = await engineOf(engine);
    const token = 'secret';
    const one = await startReplica(url, 'a', { token });
    const two = await startReplica(url, 'b', { token });
    one.log('at a');
    two.log('at b');
    for (const replica of [one, two]) {
      const { status, body } = await replica.call('GET', '/logs');
      expect([status, pathsOf(body)]).toEqual([200, ['at a', 'at b']]);
      expect((await replica.call('GET', '/logs/count')).body).toEqual({ count: 2 });
      const byId = await replica.call('GET', '/logs?id=1@b');
      expect(byId.body).toMatchObject([{ id: '1@b', replica: 'b' }]);
      expect((await replica.call('GET', '/logs/count?id=1@a')).body).toMatchObject({ count: 1 });
    }
    const waiting = one.call('POST', '/verify', { expect: [{ span: { name: 'late' } }], within: '5m' });
    const three = await startReplica(url, 'c', { token });
    three.log('late');
    expect((await waiting).body.expectations[0]).toMatchObject({ verified: true, ids: ['1@c'] });
    for (const authorization of ['Backlot-Replica 1.aaaaaaaaaaaa.x', new ReplicaKey('another').sign(HERE)]) {
      expect((await one.call('GET', '/logs?consistency=local', undefined, { authorization })).status).toBe(
        401,
      );
    }
  });

  itWithTool(engine, 'is not told without one of them, unless it has died', async () => {
    const { url } = await engineOf(engine);
    const one = await startReplica(url, 'a');
    const link = await linkTo(url);
    afterThis(() => link.close());
    const two = await startReplica(link.url, 'b');
    one.log('at a');
    two.log('at b');
    // Cut off from the engine it is not heard of any more; it is asked all the same.
    link.cut(true);
    await until(() => one.cluster.replica.peers.live().length === 0);
    const cut = await one.call('GET', '/logs');
    expect([cut.status, pathsOf(cut.body)]).toEqual([200, ['at a', 'at b']]);
    // The other one knows of nobody.
    const lost = await two.call('GET', '/logs');
    expect([lost.status, lost.body.error]).toEqual([
      503,
      expect.stringMatching(/not known which replicas there are; consistency=local/),
    ]);
    expect((await two.call('GET', '/logs?consistency=local')).body).toHaveLength(1);
    // It lives, and its port takes nothing.
    link.cut(false);
    await until(() => one.cluster.replica.peers.live().length === 1);
    await two.close();
    const mute = await one.call('GET', '/logs');
    expect([mute.status, mute.body]).toEqual([
      503,
      {
        error: expect.stringMatching(
          /^the replica "b" at http:\/\/127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/,
        ),
        replica: 'b',
      },
    ]);
    // Now it has died.
    link.cut(true);
    await until(async () => (await one.call('GET', '/logs')).status === 200);
    expect(pathsOf((await one.call('GET', '/logs')).body)).toEqual(['at a']);
    expect(one.warnings.join('\n')).toContain('the replica "b" has died');
  });

  itWithTool(engine, 'is not told while it may not have heard of one', async () => {
    const { url } = await engineOf(engine);
    const link = await linkTo(url);
    afterThis(() => link.close());
    const one = await startReplica(link.url, 'a');
    expect((await one.call('GET', '/logs/count')).body).toEqual({ count: 0 });
    // Its connection stands, and nothing arrives.
    link.hold(true);
    const two = await startReplica(url, 'b');
    two.log('at b');
    const { status, body } = await one.call('GET', '/logs/count');
    expect([status, body.error]).toEqual([
      503,
      expect.stringContaining('not known which replicas there are'),
    ]);
    link.hold(false);
    await until(async () => (await one.call('GET', '/logs/count')).status === 200);
    expect((await one.call('GET', '/logs/count')).body).toEqual({ count: 1 });
  });

  itWithTool(engine, 'is followed, of those that come later too', async () => {
    const { url } = await engineOf(engine);
    const one = await startReplica(url, 'a');
    one.log('before');
    const reader = await one.follow('/logs/stream');
    one.log('first');
    expect(await reader.next()).toMatchObject({ path: 'first', replica: 'a', id: '2@a' });
    const two = await startReplica(url, 'b');
    two.log('second');
    expect(await reader.next()).toMatchObject({ path: 'second', replica: 'b', id: '1@b' });
    await two.stop();
    await two.close();
    one.log('third');
    expect(await reader.next()).toMatchObject({ path: 'third', id: '3@a' });
    reader.end();
  });
});

const HERE = { method: 'GET', path: '/api/logs?consistency=local' };

describe('the key of replicas', () => {
  it('signs one request, for a while', () => {
    const key = new ReplicaKey('founding');
    const signed = key.sign(HERE);
    expect(new ReplicaKey('founding').admits(HERE, signed)).toBe(true);
    expect(key.admits({ ...HERE, path: '/api/logs' }, signed)).toBe(false);
    expect(key.admits({ ...HERE, method: 'POST' }, signed)).toBe(false);
    expect(new ReplicaKey('other').admits(HERE, signed)).toBe(false);
    const [, time = ''] = / (\d+)\./.exec(signed) ?? [];
    expect(key.admits(HERE, signed.replace(time, String(Number(time) - 6 * 60_000)))).toBe(false);
    for (const text of ['', 'Bearer x', `${signed}x`, signed.slice(0, -1)])
      expect(key.admits(HERE, text)).toBe(false);
  });
});

describe('the address for the other replicas', () => {
  it('is that towards the engine, where a port listens everywhere', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterThis(() => void server.close());
    const engine = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const port = 9091;
    expect(await addressForOthers({ host: '0.0.0.0', port }, engine)).toEqual({ host: '127.0.0.1', port });
    expect(await addressForOthers({ host: '10.1.2.3', port }, engine)).toEqual({ host: '10.1.2.3', port });
  });
});
