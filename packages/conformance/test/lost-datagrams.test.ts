import { describe, expect, it } from '@jest/globals';
import type { Protocol } from '@backlot/core';
import { conformanceGroups, type ConformanceCase } from '../src/index.js';
import { createEcho, echoProbe, LineClient } from './echo/echo.js';

/** Turns of the event loop that a client waits for what is lost. */
const TIMEOUT = 50;

/** The case of datagrams, for a kind that loses the first so many questions, and how often it was asked. */
function datagramCase(lost: number): { readonly found: ConformanceCase; readonly asked: () => number } {
  const { protocol } = createEcho();
  const datagrams: Protocol = { ...protocol, meta: { ...protocol.meta, transport: 'datagram' } };
  let asked = 0;
  const probe = echoProbe({
    timeout: TIMEOUT,
    connect: async (address) => {
      const client = await LineClient.connect(address);
      asked += 1;
      return asked > lost
        ? client
        : { send: () => new Promise<string>(() => undefined), close: () => client.close() };
    },
  });
  const found = conformanceGroups(datagrams, probe)
    .flatMap(({ cases }) => cases)
    .find(({ name }) => name === 'survives random datagrams');
  if (found === undefined) throw new Error('there is no case of datagrams');
  return { found, asked: () => asked };
}

describe('a kind that has survived datagrams', () => {
  it.each([0, 1, 2])('may have lost %d questions', async (lost) => {
    const { found, asked } = datagramCase(lost);
    await found.run();
    expect(asked()).toBe(lost + 1);
  });

  it('may not be silent', async () => {
    const { found, asked } = datagramCase(3);
    await expect(found.run()).rejects.toThrow('an answer to the message "simple": nothing after');
    expect(asked()).toBe(3);
  });
});
