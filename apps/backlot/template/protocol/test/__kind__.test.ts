import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, type Host } from '@backlot/core';
import { __kind__, type __Kind__Mock } from '../src/index.js';

let host: Host | undefined;

afterEach(async () => host?.stop(0));

/** Starts a host, writes a text, ends, and resolves with all that came back. */
async function converse(text: string, mocks: readonly __Kind__Mock[]): Promise<string> {
  host = await createHost({
    protocols: [__kind__],
    settings: { __kind__: { host: '127.0.0.1', port: 0, mocks } },
  });
  await host.start();
  const socket = net.connect({
    host: '127.0.0.1',
    port: host.kind(__kind__).address?.port ?? 0,
    allowHalfOpen: true,
  });
  socket.setEncoding('utf8').on('error', () => undefined);
  socket.end(text);
  let answers = '';
  for await (const part of socket) answers += String(part);
  return answers;
}

describe('__kind__', () => {
  it('answers lines in order, also behind one that is delayed', async () => {
    const mocks = [
      { match: 'slow', response: '1', delay: '20ms' },
      { match: 'fast', response: '2' },
    ];
    expect(await converse('slow\r\nfast\nslow\nfast\n', mocks)).toBe('1\n2\n1\n2\n');
  });

  it('ends a connection whose line is too long', async () => {
    expect(await converse(`${'a'.repeat(70_000)}\nping\n`, [{ match: '*', response: 'pong' }])).toBe('');
  });
});
