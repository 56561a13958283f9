import net from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { countHeld, eventually } from '@backlot/conformance';
import { turns } from '@backlot/core/plugin';
import { RequestTurns } from '@backlot/kit/http';
import { Call } from '../src/call.js';
import { SESSION } from './support/session.js';
import { get, later, startHost } from './support/grpc-host.js';

const CALLS = 20;
const LEAVING = 120;

describe('a call that has ended', () => {
  it('is not held by the journal', async () => {
    const count = countHeld(later, Call, 'start');
    const { users, host } = await startHost({ mocks: [{ method: 'Get', response: { name: 'well' } }] });
    for (let id = 0; id < CALLS; id += 1) expect(await get(users, { id })).toMatchObject({ code: 'OK' });
    expect(host.journal.list()).toHaveLength(CALLS);
    const { seen, held } = await count();
    expect(seen).toBe(CALLS);
    expect(held).toBeLessThan(4);
  });
});

/** Leaves in one of four ways once so many bytes of the session were sent, and an answer came where one is due. */
function leave(port: number, turn: number): Promise<void> {
  const cut = 1 + ((turn * 37) % SESSION.length);
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      const isWhole = turn % 2 === 0;
      socket.write(isWhole ? SESSION : SESSION.subarray(0, cut), () => {
        if (!isWhole) go();
      });
      if (isWhole) socket.once('data', go);
    });
    const go = (): void => {
      if (turn % 4 < 2) socket.resetAndDestroy();
      else socket.destroy();
    };
    socket.on('error', () => undefined).on('close', () => resolve());
  });
}

describe('calls that come together', () => {
  it('take turns with others, and are answered all', async () => {
    const { users } = await startHost({ mocks: [{ method: 'Get', response: { name: 'well' } }] });
    const take = jest.spyOn(RequestTurns.prototype, 'take');
    const late = [
      jest.spyOn(turns, 'isLate').mockReturnValue(true),
      jest.spyOn(turns, 'areOver').mockReturnValue(true),
    ];
    const answers = await Promise.all(Array.from({ length: CALLS }, (_, id) => get(users, { id })));
    const taken = take.mock.calls.length;
    for (const spy of [take, ...late]) spy.mockRestore();
    expect(answers.every(({ code }) => code === 'OK')).toBe(true);
    expect(taken).toBe(CALLS);
  });
});

describe('clients that have left', () => {
  it('are no connections any more, whether they were answered or had sent a part of a call', async () => {
    const { host, port } = await startHost({
      mocks: [
        { method: 'Watch', keep_open: true },
        { method: 'Get', delay: '1h' },
      ],
    });
    for (let turn = 0; turn < LEAVING; turn += 1) await leave(port, turn);
    await eventually(() => host.kind('grpc').status().connections === 0);
    expect(host.kind('grpc').status()).toMatchObject({ connections: 0 });
  });
});
