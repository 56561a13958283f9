import type { Blocking } from './data/waiters.js';
import type { Step } from './executor.js';
import type { Session } from './session.js';
import type { Encoded } from './wire/long-reply.js';

/** Lets a client wait for keys; `goOn` is called with its answer, in the turn of the client that brings what it waits for. */
export function waitForKeys(
  session: Session,
  { command, args }: Step,
  blocking: Blocking,
  goOn: (reply: Encoded) => void,
): void {
  const { server } = session;
  const attempt = (key: string): ReturnType<Blocking['attempt']> => {
    // What it does is told as its own, not as that of the command that brings it.
    if (command !== undefined) server.tellBegin(session, command, args);
    return blocking.attempt(key);
  };
  session.wait = server.waiters.wait({ ...blocking, attempt }, (reply: Encoded) => {
    session.wait = undefined;
    goOn(reply);
  });
}
