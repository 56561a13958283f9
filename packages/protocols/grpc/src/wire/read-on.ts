import { nextTurn, turns } from '@backlot/core/plugin';
import type { Rpc } from './rpc-call.js';

/**
 * Asks for the next message of a stream. One chunk of bytes can hold thousands, which the library hands out one after
 * another: after a slice of time others are let in first.
 */
export function readOn(rpc: Rpc): void {
  // For a call that has ended meanwhile it does nothing.
  if (turns.areOver()) void nextTurn().then(() => rpc.startRead());
  else rpc.startRead();
}
