import { Socket } from 'node:net';
import { nextTurn } from '@backlot/core/plugin';
import { expect, it } from '@jest/globals';
import { ChunkSlice, timers } from '../src/index.js';

it('is over when a chunk has taken long, and so many messages of it have been handled', async () => {
  const socket = new Socket();
  const one = new ChunkSlice(socket);
  const ten = new ChunkSlice(socket, 10);
  expect(one.isOver).toBe(false);
  socket.emit('data', Buffer.alloc(1));
  for (const end = timers.now() + 15; timers.now() < end;);
  expect(one.isOver).toBe(true);
  expect(Array.from({ length: 11 }, () => ten.isOver).indexOf(true)).toBe(9);
  await nextTurn();
  one.restart();
  expect(one.isOver).toBe(false);
  socket.destroy();
});
