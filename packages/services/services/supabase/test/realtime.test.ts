import { afterEach, describe, expect, it } from '@jest/globals';
import type { RealtimeChannel, RealtimeChannelOptions, SupabaseClient } from '@supabase/supabase-js';
import { useBacklot } from '@backlot/testing';
import { connectTo } from './support.js';

const backlot = useBacklot({ services: ['supabase'] });

const clients: SupabaseClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.removeAllChannels();
    client.realtime.disconnect();
  }
});

function connect(key = backlot.env.SUPABASE_ANON_KEY, timeout?: number): SupabaseClient {
  const realtime = timeout === undefined ? {} : { timeout };
  const client = connectTo(backlot.env.SUPABASE_URL, key, { realtime });
  clients.push(client);
  return client;
}

const subscribed = (channel: RealtimeChannel): Promise<unknown> =>
  new Promise((resolve) => channel.subscribe((status, error) => resolve(error?.message ?? status)));

/** A channel whose broadcasts are kept. */
async function listen(
  client: SupabaseClient,
  config: RealtimeChannelOptions['config'] = {},
): Promise<{ channel: RealtimeChannel; next: () => Promise<unknown> }> {
  const channel = client.channel('room', { config });
  const heard: unknown[] = [];
  let wake = (): void => undefined;
  channel.on('broadcast', { event: '*' }, ({ event, payload }) => {
    heard.push([event, payload]);
    wake();
  });
  expect(await subscribed(channel)).toBe('SUBSCRIBED');
  const next = async (): Promise<unknown> => {
    while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return heard.shift();
  };
  return { channel, next };
}

describe('broadcasts', () => {
  it('reach the others of a channel, and oneself when that is wanted', async () => {
    const ann = await listen(connect(), { broadcast: { self: true, ack: true } });
    // A push that asks for no answer waits for one all the same.
    const bob = await listen(connect(backlot.env.SUPABASE_ANON_KEY, 4000));
    expect(await ann.channel.send({ type: 'broadcast', event: 'hello', payload: { from: 'ann' } })).toBe(
      'ok',
    );
    expect(await bob.next()).toEqual(['hello', { from: 'ann' }]);
    expect(await ann.next()).toEqual(['hello', { from: 'ann' }]);
    await bob.channel.send({ type: 'broadcast', event: 'reply', payload: {} });
    expect(await ann.next()).toEqual(['reply', {}]);
  });

  it('come by HTTP too', async () => {
    const { next } = await listen(connect());
    // The SDK leaves the timer of its time-out behind.
    const other = connect(backlot.env.SUPABASE_ANON_KEY, 4000).channel('room');
    expect(await other.httpSend('news', { n: 1 })).toMatchObject({ success: true });
    expect(await next()).toEqual(['news', { n: 1 }]);
  });
});

describe('presence', () => {
  it('tells who is there, who comes and who leaves', async () => {
    const first = connect().channel('room', { config: { presence: { key: 'ann' } } });
    const events: string[] = [];
    let wake = (): void => undefined;
    const note = (text: string): void => {
      events.push(text);
      wake();
    };
    const until = async (count: number): Promise<void> => {
      while (events.length < count) await new Promise<void>((resolve) => (wake = resolve));
    };
    first
      .on('presence', { event: 'join' }, ({ key }) => note(`+${key}`))
      .on('presence', { event: 'leave' }, ({ key }) => note(`-${key}`));
    await subscribed(first);
    await first.track({ mood: 'calm' });
    const bob = connect();
    const second = bob.channel('room', { config: { presence: { key: 'bob' } } });
    second.on('presence', { event: 'sync' }, () => undefined);
    await subscribed(second);
    await second.track({});
    await until(2);
    expect(Object.keys(first.presenceState())).toEqual(['ann', 'bob']);
    expect(second.presenceState()).toMatchObject({ ann: [{ mood: 'calm' }] });
    // Without a word.
    clients.splice(clients.indexOf(bob), 1);
    bob.realtime.disconnect();
    await until(3);
    expect(events).toEqual(['+ann', '+bob', '-bob']);
  });
});

describe('changes of tables', () => {
  it('are told to those who listen, with filters', async () => {
    backlot.collection('supabase:tables').create({ name: 'todos' });
    const client = connect();
    const heard: [string, unknown, unknown][] = [];
    let wake = (): void => undefined;
    const channel = client
      .channel('changes')
      .on(
        'postgres_changes',
        { event: '*', schema: 'public', table: 'todos', filter: 'owner=eq.ann' },
        (change) => {
          heard.push([change.eventType, change.new, change.old]);
          wake();
        },
      );
    expect(await subscribed(channel)).toBe('SUBSCRIBED');
    const writer = connect();
    await writer.from('todos').insert([
      { title: 'tea', owner: 'ann' },
      { title: 'cake', owner: 'bob' },
    ]);
    await writer.from('todos').update({ done: true }).eq('owner', 'ann');
    await writer.from('todos').delete().eq('id', 1);
    while (heard.length < 3) await new Promise<void>((resolve) => (wake = resolve));
    expect(heard).toEqual([
      ['INSERT', { id: 1, title: 'tea', owner: 'ann' }, {}],
      ['UPDATE', { id: 1, title: 'tea', owner: 'ann', done: true }, { id: 1, title: 'tea', owner: 'ann' }],
      ['DELETE', {}, { id: 1 }],
    ]);
  });
});

it('refuses keys that do not count, and messages that are none', async () => {
  const channel = connect('a.b.c').channel('room');
  expect(String(await subscribed(channel))).toContain('InvalidJWTToken');
});
