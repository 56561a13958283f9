import { invalid } from '@backlot/core/plugin';
import { DialectError, type Dialect, type EventFields, type Heard, type Packet } from '../dialect.js';
import type { DialectMessage } from '../dialect-message.js';
import type { Saying } from '../saying.js';
import { entryOf, unitOf } from '../unit.js';
import { ACK, CONNECT, CONNECT_ERROR, DISCONNECT, EVENT, PacketReader, writePacket } from './packet.js';

/** Events that clients and servers emit to themselves, and never send. */
const RESERVED = new Set([
  'connect',
  'connect_error',
  'disconnect',
  'disconnecting',
  'newListener',
  'removeListener',
]);

/** Socket.io, version 5 of its protocol, or 4, which clients of socket.io 2 speak: namespaces, events, acknowledgements and bytes. */
export class SocketIoDialect implements Dialect {
  readonly name = 'socket.io';
  readonly #reader = new PacketReader();
  readonly #newId: () => string;
  readonly #version: 4 | 5;

  /** @param newId - makes the ids of clients */
  constructor(newId: () => string, version: 4 | 5) {
    this.#newId = newId;
    this.#version = version;
  }

  read(packet: Packet): readonly Heard[] {
    const whole = this.#reader.read(packet);
    if (whole === undefined) return [];
    const { type, id, data } = whole;
    const [namespace = '/', query] = this.#version === 4 ? whole.namespace.split('?', 2) : [whole.namespace];
    switch (type) {
      case CONNECT:
        if (data !== undefined && !isObject(data)) break;
        return [{ type: 'join', unit: entryOf('socket.io', namespace, 'auth', queryOf(query) ?? data) }];
      case DISCONNECT:
        return [{ type: 'leave', room: namespace, packets: [] }];
      case EVENT: {
        if (!Array.isArray(data)) break;
        const [event, ...args] = data as unknown[];
        const isName = typeof event === 'number' || (typeof event === 'string' && !RESERVED.has(event));
        if (!isName) break;
        return [{ type: 'call', unit: unitOf('socket.io', namespace, String(event), args), ref: id }];
      }
      case ACK:
        // Mocks ask for no acknowledgement.
        return [];
    }
    throw new DialectError(`a packet of type ${type} has data that it cannot have`);
  }

  accept({ unit }: DialectMessage): readonly Packet[] {
    // In version 4 the id is that of the connection.
    const data = this.#version === 4 ? undefined : { sid: this.#newId() };
    return writePacket(CONNECT, unit.room, undefined, data);
  }

  refuse({ unit }: DialectMessage, error: unknown): readonly Packet[] {
    const data: unknown = isObject(error) ? error : { message: error ?? 'Invalid namespace' };
    if (this.#version === 4) {
      const { message, data: own } = data as { readonly message?: unknown; readonly data?: unknown };
      return writePacket(CONNECT_ERROR, unit.room, undefined, own ?? message);
    }
    return writePacket(CONNECT_ERROR, unit.room, undefined, data);
  }

  event(room: string, { event, args = [], target, payload }: EventFields): readonly Packet[] {
    if (event === undefined || target !== undefined || payload !== undefined) {
      const message = 'must be {event, args} in the dialect socket.io';
      throw invalid(`data for websocket ${message}`, [{ path: '/data', message }]);
    }
    return writePacket(EVENT, room, undefined, [event, ...args]);
  }

  answer(call: DialectMessage, _say: Exclude<Saying['say'], 'event'>, value: unknown): readonly Packet[] {
    const id = call.ref as number | undefined;
    return id === undefined ? [] : writePacket(ACK, call.unit.room, id, value);
  }

  fail(): undefined {
    return undefined;
  }

  miss(): readonly Packet[] {
    return [];
  }

  leave(room: string, error: string | undefined): readonly Packet[] | undefined {
    return error === undefined ? writePacket(DISCONNECT, room, undefined, undefined) : undefined;
  }
}

/** What a client of socket.io 2 says as it enters: the fields of a query. */
function queryOf(query: string | undefined): object | undefined {
  return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
