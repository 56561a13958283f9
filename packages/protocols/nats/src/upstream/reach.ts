import type { Socket } from 'node:net';
import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { CONNECT_TIMEOUT, connectUpstream, secureUpstream } from '@backlot/kit/upstream';
import { readInfo, type ReadInfo } from './info.js';

const LF = 10;
const MAX_GREETING = 256 * 1024;

/** An upstream that has greeted, with TLS where it wants that or its url says so. */
export interface Greeted {
  readonly socket: Socket;
  readonly info: ReadInfo;
  /** What came behind the greeting. */
  readonly unread: Buffer;
}

/** Connects to an upstream and reads its greeting, behind which TLS begins. */
export async function reachUpstream(
  connection: Connection,
  upstream: Upstream,
  authorities: Buffer | undefined,
  signal: AbortSignal,
): Promise<Greeted> {
  const raw = await connectUpstream({ ...upstream, isSecure: false }, { signal });
  try {
    const { line, rest } = await readGreeting(connection, raw, signal);
    const info = readInfo(line);
    if (!upstream.isSecure && !info.needsTls) return { socket: raw, info, unread: rest };
    return { socket: await secureUpstream(raw, upstream, { authorities, signal }), info, unread: NOTHING };
  } catch (thrown) {
    raw.destroy();
    throw thrown;
  }
}

function readGreeting(
  connection: Connection,
  socket: Socket,
  signal: AbortSignal,
): Promise<{ readonly line: Buffer; readonly rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let read: Buffer = NOTHING;
    const stop = (): void => {
      timer.cancel();
      socket.off('data', take).off('close', closed).pause();
      signal.removeEventListener('abort', closed);
    };
    const fail = (why: string): void => {
      stop();
      reject(new Error(why));
    };
    const closed = (): void => fail('it has closed the connection without a greeting');
    const take = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf(LF) + 1;
      if (end > 0) {
        stop();
        resolve({ line: read.subarray(0, end), rest: read.subarray(end) });
      } else if (read.length > MAX_GREETING) fail('its greeting does not end');
    };
    const timer = connection.after(CONNECT_TIMEOUT, () =>
      fail(`it has not greeted within ${CONNECT_TIMEOUT / 1000} s`),
    );
    signal.addEventListener('abort', closed);
    socket.on('data', take).on('close', closed);
  });
}

const NOTHING = Buffer.alloc(0);
