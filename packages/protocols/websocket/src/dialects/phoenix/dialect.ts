import { invalid } from '@backlot/core/plugin';
import type { Handshake } from '../../handshake.js';
import { DialectError, type Dialect, type EventFields, type Heard, type Packet } from '../dialect.js';
import type { DialectMessage } from '../dialect-message.js';
import { parseDialectJson, plainJson } from '../json.js';
import type { Saying } from '../saying.js';
import { entryOf, unitOf } from '../unit.js';
import { readBinary, writeBinaryPush, writeBinaryReply, type PhoenixFrame } from './wire.js';

const NO_TOPIC = { reason: 'unmatched topic' };

/** Phoenix channels: joins, replies and pushes, with the serializers of version 2 (lists) and 1 (objects). */
export class PhoenixDialect implements Dialect {
  readonly name = 'phoenix';
  readonly #isOld: boolean;
  /** The reference of the join of each topic, which pushes carry. */
  readonly #joinRefs = new Map<string, string | null>();

  constructor({ query }: Handshake) {
    const { vsn } = query;
    this.#isOld = typeof vsn !== 'string' || vsn.startsWith('1.');
  }

  read(packet: Packet): readonly Heard[] {
    const frame = typeof packet === 'string' ? readText(packet) : readBinary(packet);
    if (frame === undefined) {
      const shown = typeof packet === 'string' ? JSON.stringify(packet.slice(0, 60)) : 'bytes';
      throw new DialectError(`${shown} is no message of Phoenix`);
    }
    const { topic, event, payload } = frame;
    if (topic === 'phoenix')
      return [{ type: 'control', packets: event === 'heartbeat' ? this.#reply(frame, 'ok', {}) : [] }];
    switch (event) {
      case 'phx_join':
        return [{ type: 'join', unit: entryOf('phoenix', topic, 'payload', payload), ref: frame }];
      case 'phx_leave': {
        const packets = [...this.#reply(frame, 'ok', {}), ...this.leave(topic, undefined)];
        this.#joinRefs.delete(topic);
        return [{ type: 'leave', room: topic, packets }];
      }
      default:
        return [{ type: 'call', unit: unitOf('phoenix', topic, event, payload), ref: frame }];
    }
  }

  accept(join: DialectMessage, value: unknown): readonly Packet[] {
    const frame = frameOf(join);
    this.#joinRefs.set(frame.topic, frame.joinRef);
    return this.#reply(frame, 'ok', value ?? {});
  }

  refuse(join: DialectMessage, error: unknown): readonly Packet[] {
    return this.#reply(frameOf(join), 'error', reasonOf(error ?? NO_TOPIC));
  }

  event(room: string, { event, payload = {}, target, args }: EventFields): readonly Packet[] {
    if (event === undefined || target !== undefined || args !== undefined) {
      const message = 'must be {event, payload} in the dialect phoenix';
      throw invalid(`data for websocket ${message}`, [{ path: '/data', message }]);
    }
    return [
      this.#write({ joinRef: this.#joinRefs.get(room) ?? null, ref: null, topic: room, event, payload }),
    ];
  }

  answer(call: DialectMessage, say: Exclude<Saying['say'], 'event'>, value: unknown): readonly Packet[] {
    return say === 'error'
      ? this.#reply(frameOf(call), 'error', reasonOf(value))
      : this.#reply(frameOf(call), 'ok', value);
  }

  fail(call: DialectMessage, text: string): readonly Packet[] {
    return this.#reply(frameOf(call), 'error', { reason: text });
  }

  miss(call: DialectMessage, hasEntered: boolean): readonly Packet[] {
    return hasEntered ? [] : this.#reply(frameOf(call), 'error', NO_TOPIC);
  }

  leave(room: string, error: string | undefined): readonly Packet[] {
    const joinRef = this.#joinRefs.get(room) ?? null;
    const event = error === undefined ? 'phx_close' : 'phx_error';
    return [this.#write({ joinRef, ref: joinRef, topic: room, event, payload: {} })];
  }

  /** A reply, for a message that has a reference to reply to. */
  #reply(frame: PhoenixFrame, status: string, response: unknown): readonly Packet[] {
    if (frame.ref === null) return [];
    if (response instanceof Uint8Array && !this.#isOld) return [writeBinaryReply(frame, status, response)];
    return [this.#write({ ...frame, event: 'phx_reply', payload: { status, response } })];
  }

  #write(frame: PhoenixFrame): Packet {
    const { joinRef, ref, topic, event, payload } = frame;
    if (this.#isOld) return plainJson({ topic, event, payload, ref, join_ref: joinRef });
    if (payload instanceof Uint8Array) return writeBinaryPush(frame, payload);
    return plainJson([joinRef, ref, topic, event, payload]);
  }
}

function readText(text: string): PhoenixFrame | undefined {
  const value = parseDialectJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = Array.isArray(value) ? listed(value) : (value as Readonly<Record<string, unknown>>);
  const { topic, event, payload = {}, ref = null, join_ref: joinRef = null } = fields;
  if (typeof topic !== 'string' || typeof event !== 'string') return undefined;
  return { joinRef: refOf(joinRef), ref: refOf(ref), topic, event, payload };
}

function listed([joinRef, ref, topic, event, payload]: readonly unknown[]): Readonly<
  Record<string, unknown>
> {
  return { join_ref: joinRef, ref, topic, event, payload };
}

function refOf(ref: unknown): string | null {
  return typeof ref === 'string' || typeof ref === 'number' ? String(ref) : null;
}

/** A text alone is the reason. */
function reasonOf(error: unknown): unknown {
  return typeof error === 'string' ? { reason: error } : error;
}

function frameOf({ ref }: DialectMessage): PhoenixFrame {
  return ref as PhoenixFrame;
}
