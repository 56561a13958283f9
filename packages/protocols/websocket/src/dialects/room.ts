import { invalid, type OpenStream, type StreamControl } from '@backlot/core/plugin';
import type { StreamData } from '../schemas.js';
import type { EventFields } from './dialect.js';

/** What a room does with its session. */
interface RoomHost {
  pushEvent(room: string, fields: EventFields): void;
  endRoom(room: string, error: string | undefined): void;
}

/** A namespace, hub or topic that a client has entered: an open stream, into which events are pushed. */
export class EnteredRoom implements StreamControl<StreamData> {
  readonly #name: string;
  readonly #host: RoomHost;
  /** Set once it is listed. */
  stream: OpenStream | undefined;

  constructor(name: string, host: RoomHost) {
    this.#name = name;
    this.#host = host;
  }

  push(data: StreamData): void {
    const isEvent =
      typeof data === 'object' &&
      data.json === undefined &&
      data.base64 === undefined &&
      (data.event !== undefined || data.target !== undefined);
    if (!isEvent) {
      const message =
        'must be an event: {event, args} in the dialect socket.io, {target, args} in signalr, {event, payload} in phoenix';
      throw invalid(`data for websocket ${message}`, [{ path: '/data', message }]);
    }
    this.#host.pushEvent(this.#name, data);
  }

  close(error: string | undefined): void {
    this.#host.endRoom(this.#name, error);
  }
}
