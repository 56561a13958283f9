import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const settings = {
  settings: { echo: { port: 0, mocks: [{ id: 's', match: 'x', stream: true }] }, 'plain-text': {} },
};

describe('streams', () => {
  it('are listed, pushed into and closed', async () => {
    const { call, connect } = await start({}, settings);
    expect((await call('GET', '/api/streams')).body).toEqual([]);
    const [one, two] = [await connect(), await connect()];
    for (const client of [one, two]) {
      client.send('SUB x');
      expect(await client.nextLine()).toBe('OPEN');
    }
    const { body: list } = await call('GET', '/api/streams');
    expect(list).toHaveLength(2);
    expect(list[0]).toEqual({
      id: expect.any(String),
      protocol: 'echo',
      mock_id: 's',
      started_at: expect.stringMatching(/Z$/),
    });
    const both = await call('POST', '/api/streams/push', { protocol: 'echo', mock_id: 's', data: 'to all' });
    expect([both.status, both.body]).toEqual([200, { status: 'pushed', delivered: 2 }]);
    const first = await call('POST', '/api/streams/push', {
      protocol: 'echo',
      conn_id: list[0].id,
      mock_id: '',
      data: 'to one',
    });
    expect(first.body).toEqual({ status: 'pushed', delivered: 1 });
    expect([await one.nextLine(), await one.nextLine(), await two.nextLine()]).toEqual([
      'to all',
      'to one',
      'to all',
    ]);
    const closed = await call('POST', '/api/streams/close', {
      protocol: 'echo',
      conn_id: list[0].id,
      error: '',
    });
    expect([closed.status, closed.body]).toEqual([200, { status: 'closed', closed: 1 }]);
    expect(await one.nextLine()).toBe('END ');
    await call('POST', '/api/streams/close', { protocol: 'echo', mock_id: 's', error: 'broken' });
    expect(await two.nextLine()).toBe('END broken');
    expect((await call('GET', '/api/streams')).body).toEqual([]);
  });

  it('refuse targets and data that are not valid', async () => {
    const { call } = await start({}, settings);
    const push = async (body: unknown): Promise<number> =>
      (await call('POST', '/api/streams/push', body)).status;
    expect(await push({ protocol: 'nosuch', mock_id: 's', data: 'x' })).toBe(400);
    expect(await push({ protocol: 'plain-text', mock_id: 's', data: 'x' })).toBe(400);
    expect(await push({ protocol: 'echo', data: 'x' })).toBe(400);
    expect(await push({ protocol: 'echo', mock_id: 's', conn_id: 'c', data: 'x' })).toBe(400);
    expect(await push({ protocol: 'echo', mock_id: 's' })).toBe(400);
    expect(await push({ mock_id: 's', data: 'x' })).toBe(400);
    expect(await push({ protocol: 'echo', mock_id: 's', data: { a: 1 } })).toBe(400);
    expect(await push({ protocol: 'echo', mock_id: 's', data: 'x' })).toBe(404);
    expect(await push({ protocol: 'echo', conn_id: 'none', data: 'x' })).toBe(404);
    const close = await call('POST', '/api/streams/close', { protocol: 'nosuch', mock_id: 's' });
    const message = 'protocol "nosuch" has no streams; those that have are echo, asleep';
    expect([close.status, close.body]).toEqual([
      400,
      { error: message, details: [{ path: '/protocol', message }] },
    ]);
    expect((await call('POST', '/api/streams/close', { protocol: 'echo', mock_id: 's' })).status).toBe(404);
    expect(
      (await call('POST', '/api/streams/close', { protocol: 'echo', mock_id: 's', error: 5 })).status,
    ).toBe(400);
  });
});
