import { describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import type { Host, PackedPart, TakenPart } from '@backlot/core';
import { HandOverPort } from '../src/home/hand-over.js';
import { sendCopy } from '../src/home/copy-transfer.js';
import { MOST_COPIED, readCopy, writeCopy } from '../src/home/stored-copy.js';
import { StoredCopies } from '../src/home/stored-copies.js';
import { Peers, type Told } from '../src/peers.js';
import { ReplicaKey } from '../src/replica-key.js';
import { afterThis, until } from './support.js';

const key = new ReplicaKey('f');
const told = (from: string, more: Partial<Told> = {}): Told => ({
  ...{ from, session: `${from}1`, revision: 1, isReady: true, idle: [], outcomes: [], count: 1 },
  ...more,
});

/** Copies of a replica whose data are what the test says. */
interface Side {
  readonly copies: StoredCopies;
  readonly peers: Peers;
  readonly warnings: string[];
  readonly put: PackedPart[];
  readonly port: number;
  data: readonly TakenPart[];
  revision: number;
  isHome: boolean;
}

async function sideOf(name: string, home: () => Told | undefined): Promise<Side> {
  const peers = new Peers();
  const warnings: string[] = [];
  const put: PackedPart[] = [];
  const copies = new StoredCopies({
    ...{ name, session: `${name}1`, key, peers, warn: (text) => warnings.push(text), home },
    revision: () => side.revision,
    holds: () => side.isHome,
  });
  const sockets = new Set<Socket>();
  const port = new HandOverPort(key, (socket, { name: asked }) => {
    sockets.add(socket);
    const begin = copies.take(socket, asked);
    return begin === 'refused' ? undefined : begin;
  });
  const side: Side = {
    ...{ copies, peers, warnings, put, data: [], revision: 1, isHome: false },
    port: await port.start('127.0.0.1', 0),
  };
  const stored = {
    staying: new Map([['ftp', ['directories']]]),
    take: () => side.data,
    put: (parts: readonly PackedPart[]) => put.push(...parts),
  };
  copies.start({ stored, forgetStored: () => put.splice(0) } as unknown as Host);
  afterThis(async () => {
    copies.end();
    for (const socket of sockets) socket.destroy();
    await port.close();
  });
  return side;
}

/** A home and another replica, each of which has heard of the other one. */
async function pair(): Promise<{ home: Side; other: Side }> {
  const known = told('one', { isHome: true });
  const home = await sideOf('one', () => undefined);
  const other = await sideOf('two', () => known);
  home.isHome = true;
  home.peers.hear(told('two', { url: 'http://127.0.0.1:1', handOverPort: other.port }));
  return { home, other };
}

const part = (data: unknown, more: object = {}): TakenPart => ({
  ...{ kind: 'redis', part: 'data', pack: () => data },
  ...more,
});

describe('copies of what clients have stored', () => {
  it('come to the others, and the next home begins with the last one', async () => {
    const { home, other } = await pair();
    expect(other.warnings).toEqual([expect.stringContaining('but for ftp (directories)')]);
    expect(other.copies.layIn()).toBeUndefined();
    const data = {
      text: 'caf\u00e9',
      bytes: Buffer.from([0, 255]),
      map: new Map([['a', 1n]]),
      none: undefined,
    };
    home.data = [part(data), part([1], { space: 't1' })];
    home.revision = 5;
    home.copies.begin();
    await until(() => other.copies.kept !== undefined);
    expect(other.copies.kept).toMatchObject({ from: 'one', revision: 5 });
    home.data = [part('newer', { pack: () => Promise.resolve('newer') }), part([2], { space: 't1' })];
    // The last one is made at once when the home stops.
    await home.copies.last();
    expect(other.copies.layIn()).toContain('it begins with the copy that "one" made');
    expect(other.put).toEqual([
      { kind: 'redis', part: 'data', data: 'newer' },
      { space: 't1', kind: 'redis', part: 'data', data: [2] },
    ]);
    expect(
      readCopy((await writeCopy([part(data)], { from: 'one', revision: 5, at: 0 }))?.bytes as Buffer),
    ).toMatchObject({
      from: 'one',
      at: 0,
    });
  });

  it('hold no more once a world was put back', async () => {
    const { home, other } = await pair();
    home.data = [part('main'), part('space', { space: 't1' })];
    home.revision = 5;
    await home.copies.last();
    other.copies.renewed('', 6);
    other.copies.renewed('t1', 5);
    other.copies.layIn();
    expect(other.put.map(({ data }) => data)).toEqual(['space']);
  });

  it('are taken of the home alone, as it has sent them', async () => {
    const { other } = await pair();
    const copy = await writeCopy([part('x')], { from: 'one', revision: 1, at: 0 });
    const bytes = copy?.bytes ?? Buffer.alloc(0);
    const to = { host: '127.0.0.1', port: other.port };
    // Of a process that is not the home, or was it before.
    expect(await sendCopy(to, 'one0', bytes, key)).toBe(false);
    await expect(sendCopy(to, 'one1', bytes, new ReplicaKey('g'))).rejects.toThrow();
    expect(other.copies.kept).toBeUndefined();
    // Of the home, but no copy.
    expect(await sendCopy(to, 'one1', Buffer.from('no copy'), key)).toBe(true);
    expect(other.copies.kept).toBeUndefined();
    expect(other.warnings.join()).toContain('cannot be read');
    expect(await sendCopy(to, 'one1', bytes, key)).toBe(true);
    expect(other.copies.kept).toMatchObject({ from: 'one' });
    other.isHome = true;
    expect(await sendCopy(to, 'one1', bytes, key)).toBe(false);
  });

  it('are not made when they would be too large, which is said once', async () => {
    const { home, other } = await pair();
    home.data = [part('small')];
    await home.copies.last();
    home.data = [part(Buffer.alloc(MOST_COPIED))];
    await home.copies.last();
    await home.copies.last();
    expect(home.warnings.filter((text) => text.includes('no copies are made'))).toHaveLength(1);
    expect(other.copies.kept).toMatchObject({ from: 'one' });
  });
});
