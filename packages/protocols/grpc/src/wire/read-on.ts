import { nextTurn, Slice } from '@backlot/core/plugin';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';

/** The slice of the turn of the event loop that is under way; all calls share it. */
let slice: Slice | undefined;

/**
 * Asks for the next message of a stream. One chunk of bytes can hold thousands, which the library hands out one after
 * another: after a slice of time others are let in first.
 */
export function readOn(rpc: ServerInterceptingCallInterface): void {
  if (slice === undefined) {
    slice = new Slice();
    void nextTurn().then(() => {
      slice = undefined;
    });
  }
  // A call that has ended meanwhile takes no harm.
  if (slice.isOver) void nextTurn().then(() => rpc.startRead());
  else rpc.startRead();
}
