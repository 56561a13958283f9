import { Socket } from 'node:net';
import { turns } from '@backlot/core/plugin';

/** What of a socket ends its streams: node documents these three for those who make streams. */
type Ends = Pick<Socket, 'push' | '_final' | '_destroy'>;

const own: Ends = Socket.prototype;

/** Ends of the server's side that wait for their turn: each is called once, by its turn or by what closes the socket before. */
const waiting = new WeakMap<Socket, () => void>();
/** The sockets below those of TLS. */
const beneath = new WeakMap<Socket, Socket>();

/** The same functions for all sockets: a connection holds three references. */
const hooks: Ends & ThisType<Socket> = {
  push(chunk: unknown, encoding?: BufferEncoding) {
    if (chunk !== null || !turns.areOver()) return own.push.call(this, chunk, encoding);
    turns.wait(() => {
      if (this.destroyed) return;
      own.push.call(this, null);
      // As node does behind the end: it is told also where nothing else would ask for it.
      this.read(0);
    });
    return false;
  },

  _final(done) {
    if (!turns.areOver()) return own._final.call(this, done);
    const end = (): void => {
      if (!waiting.delete(this)) return;
      // What is closed below ends by that; and a FIN that waits to be sent would keep a RST from it.
      if ((beneath.get(this) ?? this).destroyed) done();
      else own._final.call(this, done);
    };
    waiting.set(this, end);
    turns.wait(end);
  },

  _destroy(error, done) {
    // TLS tells its client the end, also when the socket is closed right behind it.
    waiting.get(this)?.();
    // Of a client that is there, more could come before its turn.
    const hasLeft = this.readableEnded || isOfReading(error);
    if (!hasLeft || !turns.areOver()) own._destroy.call(this, error, done);
    else turns.wait(() => own._destroy.call(this, error, done));
  },
};

/**
 * Lets the end of a connection wait for a turn of the event loop when the slice of this one is used up: that the client has left,
 * the end of the server's side, which is a call of the system and with TLS a record more, and the close behind both. Thousands of
 * clients may leave in one turn, and node would handle all of that in it. What somebody has hooked already is left as it is.
 *
 * @param raw - the socket below, where `socket` is one of TLS; it has been given here before
 */
export function endInTurns(socket: Socket, raw?: Socket): void {
  if (Object.hasOwn(socket, '_final')) return;
  if (raw !== undefined) beneath.set(socket, raw);
  const { push, ...others } = hooks;
  // Who has hooked what is read, such as a home that may have lost its lease, goes on seeing all of it.
  Object.assign(socket, Object.hasOwn(socket, 'push') ? others : { push, ...others });
}

/** Whether reading has failed, as it does with a client that has reset the connection. */
function isOfReading(error: NodeJS.ErrnoException | null): boolean {
  return error?.syscall === 'read';
}
