import type { Connection } from '@backlot/kit';
import type { HttpAnswer, Replier } from '@backlot/kit/http';
import type { WebSocket } from 'ws';
import type { Handshake } from '../handshake.js';
import type { WebsocketContext } from '../shape.js';
import type { DialectName } from './fields.js';

/** A client that is told when the server stops. */
export interface Talking {
  /** Says that the server goes away, as soon as no answer is being made. */
  stop(): void;
  /** Says so now: answers that wait are given up. */
  stopNow(): void;
}

/** The server's side of one dialect, for all of its clients. */
export interface Speech {
  /** Why a WebSocket connection cannot be taken; `undefined` when it can. */
  whyNot?(handshake: Handshake): HttpAnswer | undefined;
  /** Takes a WebSocket connection. @returns the client; `undefined` for one that {@link clients} has already */
  open(handshake: Handshake, socket: WebSocket, connection: Connection): Talking | undefined;
  /** Answers a request of HTTP that belongs to the dialect. */
  request?(method: string, handshake: Handshake, body: Buffer | undefined, replier: Replier): void;
  /** Clients without a WebSocket connection of their own. */
  clients?(): Iterable<Talking>;
}

/** Loads the code of a dialect: nobody else has it in memory. */
export async function loadSpeech(name: DialectName, context: WebsocketContext): Promise<Speech> {
  switch (name) {
    case 'socket.io':
      return (await import('./socket-io/speech.js')).speakSocketIo(context);
    case 'signalr':
      return (await import('./signalr/speech.js')).speakSignalr(context);
    case 'phoenix':
      return (await import('./phoenix/speech.js')).speakPhoenix(context);
  }
}
