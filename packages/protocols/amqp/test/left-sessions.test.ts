import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { collectCleanups, countHeld, eventually } from '@backlot/conformance';
import { AmqpConnection } from '../src/connection/connection.js';
import { SESSION } from './recorded-session.js';
import { startHost } from './support.js';

const afterThis = collectCleanups();
const SESSIONS = 20;

/** Plays the session to its end. */
function play(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.resume();
    socket.write(SESSION);
  });
}

describe('a session whose client has left', () => {
  it('is not held by what was captured and journaled of it', async () => {
    const count = countHeld(afterThis, AmqpConnection, 'send');
    const { port, host } = await startHost();
    for (let played = 0; played < SESSIONS; played += 1) await play(port);
    expect(host.journal.list().length).toBeGreaterThanOrEqual(SESSIONS);
    expect(host.kind('amqp').captures?.values().length).toBeGreaterThanOrEqual(SESSIONS);
    await eventually(() => host.kind('amqp').status().connections === 0);
    const { seen, held } = await count();
    expect(seen).toBe(SESSIONS);
    expect(held).toBeLessThan(4);
  });
});
