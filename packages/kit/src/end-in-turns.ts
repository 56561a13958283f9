import { Socket } from 'node:net';
import { turns } from '@backlot/core/plugin';

type Done = (error?: Error | null) => void;

/** What of a socket ends its streams: node documents these for those who make streams. */
interface Ends extends Socket {
  _final(done: Done): void;
  _destroy(error: Error | null, done: Done): void;
  /** Whether it is being closed with a RST. */
  readonly resetAndClosing?: boolean;
}

const own = Socket.prototype as Ends;

/** Ends of this side that wait for their turn: each is called once, by its turn or by what closes the socket before. */
const waiting = new WeakMap<Socket, () => void>();

/** The same functions for all sockets: what a connection holds for them are three references. */
const hooks: ThisType<Ends> & Pick<Ends, 'push' | '_final' | '_destroy'> = {
  push(chunk: unknown, encoding?: BufferEncoding) {
    if (chunk !== null || !turns.areOver()) return own.push.call(this, chunk, encoding);
    turns.wait(() => {
      own.push.call(this, null);
      // As node does behind the end: it is told also where nothing waits to be read.
      this.read(0);
    });
    return false;
  },

  _final(done) {
    if (!turns.areOver()) return own._final.call(this, done);
    const end = (): void => {
      if (!waiting.delete(this)) return;
      // Behind a FIN there would be no RST.
      if (this.resetAndClosing === true) done();
      else own._final.call(this, done);
    };
    waiting.set(this, end);
    turns.wait(end);
  },

  _destroy(error, done) {
    // What was ended before it was closed tells the client so, as TLS does.
    waiting.get(this)?.();
    if (!turns.areOver()) return own._destroy.call(this, error, done);
    turns.wait(() => own._destroy.call(this, error, done));
  },
};

/**
 * Lets the ends of a socket wait for a turn of the event loop while others have used up this one: that the client has left, the end
 * of this side, which is a call of the system and with TLS a record more, and the close. Thousands of clients may leave in one turn,
 * and the others are served between their ends.
 *
 * @param socket - a socket that nobody else has hooked yet; with TLS it has to be done to both sockets, as
 * {@link endEncryptedInTurns} does to the upper one
 */
export function endInTurns(socket: Socket): void {
  Object.assign(socket, hooks);
}

/** Does the same to the TLS socket of such a socket: it is closed at once, and the socket below it in its turn. */
export function endEncryptedInTurns(socket: Socket): void {
  const { push, _final } = hooks;
  Object.assign(socket, {
    push,
    _final,
    _destroy(this: Ends, error: Error | null, done: Done) {
      waiting.get(this)?.();
      own._destroy.call(this, error, done);
    },
  });
}
