import type { Connection } from './connection.js';
import type { Framer } from './framing/framer.js';
import { isFramingError, type FramingError } from './framing/framing-error.js';
import { isPromise } from './thrown.js';

/** The framer in use, after a change of framing. */
const current = new WeakMap<Connection, Framer>();

/**
 * Reads a connection frame by frame. While the connection is paused, by {@link Connection.pause} or because its client
 * does not read its answers, no frame is handed over, not even one that was received before: so answers keep their
 * order, and a client with a long pipeline cannot make unread answers grow. After {@link Connection.end} no frame is
 * handed over at all. A pipeline whose frames take long lets other connections in ({@link Connection.yieldWhenLong}).
 *
 * Bytes that were received before {@link Connection.startTls} and not used are thrown away. To change the framing, call
 * this again with another framer, and push into it what {@link Framer.takeRest} of the old one gives.
 *
 * @param framer - cuts the bytes of this connection into frames; no other connection may use it
 * @param onFrame - called for each frame; what it throws ends the connection
 * @param onMalformed - called for bytes that cannot be a frame, to answer them and end the connection. Default: the
 * connection ends without an answer
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
