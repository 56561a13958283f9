import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { HomePorts } from '../src/home/home-ports.js';

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'UDPWrap').length;

it('leaves no socket open where a port for datagrams is taken', async () => {
  const taken = createSocket('udp4').bind(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address();
  const before = openSockets();
  const asked = { name: 'any', address: '127.0.0.1', port, share: 'any' } as const;
  await expect(HomePorts.prototype.bind(asked)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  // A handle is gone when its turn is over.
  await turn();
  await turn();
  expect(openSockets()).toBe(before);
  taken.close();
  await once(taken, 'close');
});
