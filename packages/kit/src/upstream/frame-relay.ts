import type { Socket } from 'node:net';
import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';
import { timers } from '../timers.js';
import { connectUpstream } from './connect-upstream.js';
import { FramePipe, type FramePipeEnds, type FrameSide } from './frame-pipe.js';
import type { UpstreamLog } from './upstream-log.js';

/** Milliseconds in which an upstream may take what its client has sent before it left. */
const LINGER = 2_000;

/** How a client is read and written, where that is not by its connection alone, as with a WebSocket. */
export interface NearEnd {
  onData(listener: (chunk: Buffer) => void): void;
  write(data: Uint8Array): void;
  pause(): void;
  resume(): void;
  /** Ends it once what waits is sent; the connection is ended so when absent. */
  end?(): void;
}

/** What a connection to an upstream is, and what it has said so far. */
export interface Reached {
  readonly socket: Socket;
  /** Bytes that were read of it and belong to what is passed on. */
  readonly unread?: Buffer;
}

/** What a relay is made of. */
export interface FrameRelayOptions {
  /** Its server lets clients end their side alone (`allowHalfOpen`). */
  readonly connection: Connection;
  /** The connection itself when absent. */
  readonly near?: NearEnd;
  readonly upstream: Upstream;
  readonly authorities: Buffer | undefined;
  readonly log: UpstreamLog;
  /** What the client sends. */
  readonly toUpstream: FrameSide;
  /** What the upstream sends. */
  readonly toClient: FrameSide;
  /** Says that what passes is looked at no more, and why. */
  readonly warn: (text: string) => void;
  /** Reaches the upstream, in place of {@link connectUpstream}. */
  readonly reach?: (signal: AbortSignal) => Promise<Reached>;
}

/**
 * Connects a client with the upstream and looks at each frame that passes, in both directions: bytes go through as they are but
 * for what a kind puts in their place. Each side is read as fast as the other one takes it, and the end of one side is passed on
 * as that. When the upstream cannot be reached, or breaks off, the client's connection is reset.
 */
export class FrameRelay {
  readonly #options: FrameRelayOptions;
  readonly #near: NearEnd;
  readonly #leaving = new AbortController();
  readonly #toUpstream: FramePipe;
  readonly #toClient: FramePipe;
  /** Why a side is not read for now. */
  readonly #nearHolds = new Set<'frame' | 'far'>();
  readonly #farHolds = new Set<'frame' | 'near'>();
  #far: Socket | undefined;

  constructor(options: FrameRelayOptions) {
    this.#options = options;
    const { connection, toUpstream, toClient } = options;
    this.#near = options.near ?? connection;
    this.#toUpstream = this.#pipe(toUpstream, 'client', {
      write: (data) => this.#writeFar(data),
      hold: (isHeld) => this.#hold(isHeld),
      ended: () => this.#far?.end(),
    });
    this.#toClient = this.#pipe(toClient, 'upstream', {
      write: (data) => this.#writeNear(data),
      hold: (isHeld) => this.#holdFar('frame', isHeld),
      ended: () => (this.#near.end === undefined ? connection.end() : this.#near.end()),
    });
    // How long a client may be silent is for the upstream to say.
    connection.setIdleTimeout(0);
    connection.onClose(() => {
      this.#leaving.abort();
      if (this.#far !== undefined) leave(this.#far);
    });
    this.#open();
  }

  /** Sends whole frames to the upstream beside those of the client. */
  sendToUpstream(data: Uint8Array): void {
    this.#toUpstream.insert(data);
  }

  /** Sends whole frames to the client beside those of the upstream. */
  sendToClient(data: Uint8Array): void {
    this.#toClient.insert(data);
  }

  #writeFar(data: Uint8Array): void {
    const far = this.#far;
    if (far === undefined || far.write(data)) return;
    this.#holdNear('far', true);
    far.once('drain', () => this.#holdNear('far', false));
  }

  #writeNear(data: Uint8Array): void {
    const { socket } = this.#options.connection;
    this.#near.write(data);
    if (!socket.writableNeedDrain || this.#farHolds.has('near')) return;
    this.#holdFar('near', true);
    socket.once('drain', () => this.#holdFar('near', false));
  }

  #open(): void {
    const { connection, upstream, authorities, log, reach } = this.#options;
    const { signal } = this.#leaving;
    const reached: Promise<Reached> =
      reach?.(signal) ?? connectUpstream(upstream, { authorities, signal }).then((socket) => ({ socket }));
    reached.then(
      connection.isolate(({ socket, unread }) => {
        log.worked();
        if (connection.isClosed) socket.destroy();
        else this.#join(socket, unread);
      }),
      connection.isolate((error: unknown) => {
        if (signal.aborted) return;
        log.failed(error);
        connection.reset();
      }),
    );
  }

  #join(far: Socket, unread: Buffer | undefined): void {
    const { connection } = this.#options;
    this.#far = far;
    far.on(
      'data',
      connection.isolate((chunk: Buffer) => this.#toClient.push(chunk)),
    );
    far.on(
      'end',
      connection.isolate(() => this.#toClient.end()),
    );
    far.on('error', () => connection.reset());
    far.on('close', () => {
      if (!far.readableEnded) connection.reset();
    });
    if (unread !== undefined && unread.length > 0) this.#toClient.push(unread);
    // Who has reached it may have paused it.
    if (this.#farHolds.size === 0) far.resume();
    this.#near.onData((chunk) => this.#toUpstream.push(chunk));
    connection.onEnd(() => this.#toUpstream.end());
  }

  #pipe(side: FrameSide, from: 'client' | 'upstream', ends: Omit<FramePipeEnds, 'lost'>): FramePipe {
    const { connection, warn } = this.#options;
    return new FramePipe(side, {
      ...ends,
      lost: (problem) =>
        warn(
          `${connection.remote}: what the ${from} sends is not in the log any more, and passes as it comes: ${problem.message}`,
        ),
    });
  }

  #hold(isHeld: boolean): void {
    this.#holdNear('frame', isHeld);
  }

  #holdNear(reason: 'frame' | 'far', isHeld: boolean): void {
    if (isHeld) this.#nearHolds.add(reason);
    else this.#nearHolds.delete(reason);
    if (this.#nearHolds.size > 0) this.#near.pause();
    else this.#near.resume();
  }

  #holdFar(reason: 'frame' | 'near', isHeld: boolean): void {
    if (isHeld) this.#farHolds.add(reason);
    else this.#farHolds.delete(reason);
    if (this.#farHolds.size > 0) this.#far?.pause();
    else this.#far?.resume();
  }
}

/** Closes a connection as soon as what the client has sent last is on its way. */
function leave(far: Socket): void {
  if (far.writableLength === 0) {
    far.destroy();
    return;
  }
  far.destroySoon();
  const timer = timers.after(LINGER, () => far.destroy());
  far.once('close', () => timer.cancel());
}
