import net from 'node:net';
import { queryObjects } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Session } from '../src/session/session.js';
import { SESSION } from './recorded-session.js';
import { startHost } from './support.js';

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
    const { port, host } = await startHost();
    for (let count = 0; count < 10; count += 1) await play(port);
    expect(host.journal.list().length).toBeGreaterThanOrEqual(10);
    expect(host.kind('amqp').captures?.list().length).toBeGreaterThanOrEqual(10);
    // The last one may still be on the stack of what ended it.
    await eventually(() => queryObjects(Session, { format: 'count' }) < 3);
  });
});
