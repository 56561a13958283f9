import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { turns } from '@backlot/core/plugin';
import type { Connection } from '../src/index.js';
import { closeAll, connect, listen, until } from './clients.js';

afterEach(closeAll);

describe('clients that leave together', () => {
  it('are let go in turns when a turn of the event loop has lasted long, with their answers', async () => {
    const connections: Connection[] = [];
    const { port } = await listen({
      onConnection: (connection) => {
        connections.push(connection);
        connection.onData((chunk) => connection.write(chunk));
      },
    });
    const clients = await Promise.all(Array.from({ length: 5 }, () => connect(port)));
    await until(() => connections.length === clients.length);
    const waited: (() => void)[] = [];
    const late = jest.spyOn(turns, 'isLate').mockReturnValue(true);
    const wait = jest.spyOn(turns, 'wait').mockImplementation((callback) => void waited.push(callback));
    for (const client of clients) client.end();
    await until(() => waited.length === clients.length);
    expect(connections.some(({ isEnded }) => isEnded)).toBe(false);
    late.mockRestore();
    wait.mockRestore();
    for (const goOn of waited) goOn();
    expect(connections.every(({ isEnded }) => isEnded)).toBe(true);
    await until(() => connections.every(({ isClosed }) => isClosed));
  });
});
