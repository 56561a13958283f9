import { nextTurn, type Log, type Random } from '@backlot/core/plugin';
import { describe, expect, it } from '@jest/globals';
import type { Access } from '../src/data-queue.js';
import { createUsers } from '../src/acl/create-users.js';
import { DataSnapshots } from '../src/data-snapshots.js';
import { ServerState } from '../src/server-state.js';
import { readSettings } from '../src/settings.js';
import { RawClient, startHost } from './support.js';

/** So many keys take several slices on any machine. */
const MANY = 300_000;

function makeServer(): { readonly server: ServerState; readonly snapshots: DataSnapshots } {
  const clock = { now: () => 1_000_000_000_000, after: () => ({ cancel: () => undefined }) };
  const settings = readSettings({ mode: 'stateful' } as never);
  const server = new ServerState(
    {
      clock,
      log: {} as Log,
      random: () => ({}) as Random,
      newId: () => 'a'.repeat(32),
    },
    settings,
    createUsers(settings),
  );
  return { server, snapshots: new DataSnapshots(server.store, server.dataQueue) };
}

function fill({ store }: ServerState, count: number, value: string): void {
  for (let n = 0; n < count; n += 1) store.database(0).put(`key${n}`, value);
}

/** Does something to the data as a command does, when it is its turn. */
function act<T>({ dataQueue }: ServerState, access: Access, work: () => T): Promise<T> {
  return new Promise((resolve) => {
    if (dataQueue.isOpenTo(access)) resolve(work());
    else dataQueue.wait(access, () => resolve(work()));
  });
}

async function turnsUntil(isDone: () => boolean): Promise<number> {
  let turns = 0;
  while (!isDone()) {
    await nextTurn();
    turns += 1;
  }
  return turns;
}

describe('a snapshot of much data', () => {
  it('is taken in slices, while others read and who writes waits', async () => {
    const { server, snapshots } = makeServer();
    const database = server.store.database(0);
    fill(server, MANY, 'before');
    const saved = snapshots.save();
    expect(server.dataQueue.isOpenTo('read')).toBe(true);
    let isWritten = false;
    const written = act(server, 'write', () => {
      database.put('key7', 'after');
      database.delete('key8');
      isWritten = true;
    });
    expect(database.string('key7')).toBe('before');
    expect(await turnsUntil(() => isWritten)).toBeGreaterThan(1);
    await written;
    expect([database.string('key7'), database.size]).toEqual(['after', MANY - 1]);
    snapshots.restore(saved);
    const both = [database.string('key7'), database.string('key8')];
    expect(both).toEqual(['after', undefined]);
    const read = await act(server, 'read', () => [database.string('key7'), database.string('key8')]);
    expect([...read, database.size]).toEqual(['before', 'before', MANY]);
  });

  it('is put back beside what is there, which nobody sees half changed, and takes its place at once', async () => {
    const { server, snapshots } = makeServer();
    const database = server.store.database(0);
    fill(server, MANY, 'before');
    const { used } = server.store;
    const saved = snapshots.save();
    await act(server, 'write', () => fill(server, MANY, 'after!'));
    snapshots.restore(saved);
    expect(server.dataQueue.isOpenTo('read')).toBe(false);
    const seen = new Set<string | undefined>();
    const look = (): boolean => {
      seen.add(`${database.string('key0')} ${database.string(`key${MANY - 1}`)} ${database.size}`);
      return server.dataQueue.isIdle;
    };
    expect(await turnsUntil(look)).toBeGreaterThan(1);
    expect([...seen]).toEqual([`after! after! ${MANY}`, `before before ${MANY}`]);
    expect(server.store.used).toBe(used);
  });

  it('that is not finished is not given up by one that is put back, and comes first', async () => {
    const { server, snapshots } = makeServer();
    const database = server.store.database(0);
    const empty = snapshots.save();
    fill(server, MANY, 'x');
    const saved = snapshots.save();
    snapshots.restore(empty);
    expect(await act(server, 'read', () => database.size)).toBe(0);
    snapshots.restore(saved);
    expect(await act(server, 'read', () => database.size)).toBe(MANY);
  });

  it('comes behind a command that is under way, and gives it up when it is put back', async () => {
    const { server, snapshots } = makeServer();
    const database = server.store.database(0);
    const empty = snapshots.save();
    function* writeAll(): Generator<undefined, void> {
      for (let n = 0; n < MANY; n += 1) {
        database.put(`key${n}`, 'x');
        yield;
      }
    }
    const written = Promise.resolve(server.dataQueue.run(writeAll(), true));
    const saved = snapshots.save();
    await written;
    expect(await act(server, 'write', () => database.delete('key0'))).toBe(true);
    snapshots.restore(saved);
    expect(await act(server, 'read', () => database.size)).toBe(MANY);
    const again = Promise.resolve(server.dataQueue.run(writeAll(), true));
    snapshots.restore(empty);
    await expect(again).rejects.toThrow('reset meanwhile');
    expect(await act(server, 'read', () => database.size)).toBe(0);
  });
});

it('a client that asks behind a reset sees the data of the reset, and others are answered before', async () => {
  const { port, host } = await startHost({ mode: 'stateful' });
  const [client, other] = [new RawClient(port), new RawClient(port)];
  const pairs = Array.from({ length: MANY }, (_, n) => `$${`k${n}`.length}\r\nk${n}\r\n$1\r\nv\r\n`);
  client.send(`*${1 + 2 * MANY}\r\n$4\r\nMSET\r\n${pairs.join('')}`);
  expect(await client.reply()).toBe('+OK\r\n');
  const { id } = host.snapshots.create();
  expect(await client.ask('FLUSHALL')).toBe('+OK\r\n');
  await other.ask('PING');
  host.snapshots.restore(id);
  const order: string[] = [];
  const size = client.ask('DBSIZE').then((reply) => order.push(reply));
  await other.ask('PING').then((reply) => order.push(reply));
  await size;
  expect(order).toEqual(['+PONG\r\n', `:${MANY}\r\n`]);
}, 30_000);
