import type { Connection } from './connection.js';
import type { Framer } from './framing/framer.js';
import { isFramingError, type FramingError } from './framing/framing-error.js';
import { isPromise } from './thrown.js';

/** The framer in use, after a change of framing. */
const current = new WeakMap<Connection, Framer>();

/**
 * Reads a connection frame by frame. While the connection is paused ({@link Connection.pause}, or a client that does not
 * read its answers) no further frame is handed over, those already received included, so that a long pipeline stays
 * bounded and answers keep their order; after {@link Connection.end} none is handed over at all. A pipeline whose
 * frames take long lets other connections in ({@link Connection.yieldWhenLong}).
 *
 * What came in the clear before {@link Connection.startTls} is thrown away. Calling this again changes the framing; give
 * the new framer {@link Framer.takeRest} of the old one.
 *
 * @param framer - a framer of this connection alone
 * @param onFrame - takes a frame; isolated
 * @param onMalformed - answers bytes that cannot be right. Default: the connection ends without an answer
 */
export function readFrames(
  connection: Connection,
  framer: Framer,
  onFrame: (frame: Buffer) => unknown,
  onMalformed?: (error: FramingError) => unknown,
): void {
  const take = (frame: Buffer): 'halt' | undefined => {
    const result = onFrame(frame);
    if (isPromise(result)) connection.isolate(() => result)();
    return connection.isEnded || connection.yieldWhenLong(framer.waiting > 0) || connection.isPaused
      ? 'halt'
      : undefined;
  };
  const guard = (feed: () => void): void => {
    try {
      feed();
    } catch (error) {
      if (onMalformed === undefined || !isFramingError(error)) throw error;
      onMalformed(error);
    }
  };
  const goOn = (): void => {
    if (current.get(connection) === framer) guard(() => framer.resume(take));
  };
  current.set(connection, framer);
  connection.onData((chunk) => guard(() => framer.push(chunk, take)));
  connection.onResume(goOn);
  connection.onSecure(() => {
    framer.clear();
    goOn();
  });
}
