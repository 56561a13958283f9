import { invalid } from '@backlot/core/plugin';
import { DialectError, type Dialect, type EventFields, type Heard, type Packet } from '../dialect.js';
import type { DialectMessage } from '../dialect-message.js';
import { plainJson } from '../json.js';
import type { Saying } from '../saying.js';
import { entryOf, unitOf } from '../unit.js';
import { ClientStreams, type UploadFailure } from './client-streams.js';
import {
  CANCEL,
  CLOSE,
  COMPLETION,
  END,
  HubProblem,
  INVOCATION,
  JsonProtocol,
  jsonRecord,
  MessagePackProtocol,
  PING,
  readRecord,
  STREAM_INVOCATION,
  STREAM_ITEM,
  type Fields,
  type HubMessage,
  type HubProtocol,
} from './hub-protocol.js';

/** Milliseconds between pings, as ASP.NET Core has it. */
const PING_EVERY = 15_000;

/** An invocation that is answered. */
interface Invocation {
  /** Absent: no answer is wanted. */
  readonly id: string | undefined;
  readonly isStream: boolean;
  /** Whether its end was sent. */
  hasEnded: boolean;
}

/** Most bytes before the end of the handshake. */
const MAX_HANDSHAKE = 4096;

/** A hub of ASP.NET Core SignalR, in its JSON or its MessagePack protocol. */
export class SignalrDialect implements Dialect {
  readonly name = 'signalr';
  /** A client that is refused goes. */
  readonly closesRefused = true;
  readonly #streams = new ClientStreams();
  #protocol: HubProtocol = new JsonProtocol();
  #hasShaken = false;
  #handshake = '';

  get beat(): { readonly every: number; readonly packets: readonly Packet[] } {
    return { every: PING_EVERY, packets: [this.#record({ type: PING })] };
  }

  *read(packet: Packet): Iterable<Heard> {
    try {
      let rest: Packet | undefined = packet;
      if (!this.#hasShaken) {
        rest = this.#readHandshake(packet);
        if (!this.#hasShaken) return;
        yield { type: 'join', unit: entryOf('signalr', '', 'protocol', undefined) };
      }
      if (rest !== undefined && rest.length > 0)
        for (const message of this.#protocol.read(rest)) yield* this.#take(message);
    } catch (thrown) {
      throw thrown instanceof HubProblem ? this.#bad(thrown.message) : thrown;
    }
  }

  accept(): readonly Packet[] {
    return [jsonRecord({})];
  }

  refuse(_join: DialectMessage, error: unknown): readonly Packet[] {
    return [jsonRecord({ error: textOf(error ?? 'There is no hub.') })];
  }

  event(_room: string, { target, args = [], event, payload }: EventFields): readonly Packet[] {
    if (target === undefined || event !== undefined || payload !== undefined) {
      const message = 'must be {target, args} in the dialect signalr';
      throw invalid(`data for websocket ${message}`, [{ path: '/data', message }]);
    }
    return [this.#record({ type: INVOCATION, target, arguments: args })];
  }

  answer(call: DialectMessage, say: Exclude<Saying['say'], 'event'>, value: unknown): readonly Packet[] {
    const invocation = call.ref as Invocation;
    const { id, isStream, hasEnded } = invocation;
    if (id === undefined || hasEnded) return [];
    const end = (fields: Fields): Packet => {
      invocation.hasEnded = true;
      return this.#record({ type: COMPLETION, invocationId: id, ...fields });
    };
    const itemOf = (item: unknown): Packet => this.#record({ type: STREAM_ITEM, invocationId: id, item });
    switch (say) {
      case 'item':
        return [isStream ? itemOf(value) : end({ error: notStreaming(call) })];
      case 'answer':
        if (!isStream) return [end({ result: value })];
        return [...(Array.isArray(value) ? value : [value]).map(itemOf), end({})];
      case 'error':
        return [end({ error: textOf(value) })];
      case 'end':
        return [end({})];
    }
  }

  fail(call: DialectMessage, text: string): readonly Packet[] | undefined {
    return (call.ref as Invocation).id === undefined ? undefined : this.answer(call, 'error', text);
  }

  miss(call: DialectMessage): readonly Packet[] {
    const name = call.unit.name;
    const reason = `Failed to invoke '${name}' due to an error on the server. HubException: Method does not exist.`;
    return this.answer(call, 'error', reason);
  }

  leave(_room: string, error: string | undefined): readonly Packet[] {
    return [this.#record({ type: CLOSE, ...(error === undefined ? {} : { error }) })];
  }

  goodbye(): readonly Packet[] {
    return this.#hasShaken ? [this.#record({ type: CLOSE, allowReconnect: true })] : [];
  }

  #record(fields: Fields): Packet {
    return this.#protocol.write(fields);
  }

  #bad(message: string): DialectError {
    const error = `Connection closed with an error. ${message}.`;
    return new DialectError(message, [this.#record({ type: CLOSE, error })]);
  }

  /** The first record is JSON in both protocols. @returns what follows it, in the form of the packet */
  #readHandshake(packet: Packet): Packet | undefined {
    const text = typeof packet === 'string' ? packet : packet.toString('latin1');
    const end = text.indexOf(END);
    this.#handshake += end < 0 ? text : text.slice(0, end);
    if (this.#handshake.length > MAX_HANDSHAKE)
      throw new HubProblem(`the handshake has more than ${MAX_HANDSHAKE} characters`);
    if (end < 0) return undefined;
    this.#shake(readRecord(this.#handshake));
    // As bytes each character is one.
    return packet.slice(end + 1);
  }

  #shake({ protocol, version }: Fields): void {
    const refusal =
      protocol !== 'json' && protocol !== 'messagepack'
        ? `The protocol '${textOf(protocol)}' is not supported.`
        : version !== 1
          ? `The server does not support version ${textOf(version)} of the '${protocol}' protocol.`
          : undefined;
    if (refusal !== undefined) throw new DialectError(refusal, [jsonRecord({ error: refusal })]);
    if (protocol === 'messagepack') this.#protocol = new MessagePackProtocol();
    this.#hasShaken = true;
  }

  #take({ fields, size }: HubMessage): readonly Heard[] {
    const { type, invocationId: id } = fields;
    switch (type) {
      case INVOCATION:
      case STREAM_INVOCATION:
        return this.#invoke(fields);
      case CANCEL:
        this.#streams.cancel(id);
        return [
          {
            type: 'cancel',
            isFor: (ref) => (ref as Invocation | undefined)?.id === id && id !== undefined,
            packets: [this.#record({ type: COMPLETION, invocationId: id })],
          },
        ];
      case CLOSE:
        return [{ type: 'bye', reason: '' }];
      case STREAM_ITEM:
        return this.#heard(this.#streams.add(id, fields['item'], size));
      case COMPLETION:
        return this.#heard(this.#streams.end(id, fields['error']));
      case PING:
        return [];
      default:
        throw this.#bad(`a message has the type ${textOf(type)}; it has one from 1 to 7`);
    }
  }

  #invoke({ type, target, arguments: args, invocationId: id, streamIds }: Fields): readonly Heard[] {
    const isIdFine = typeof id === 'string' || ((id === undefined || id === null) && type === INVOCATION);
    if (typeof target !== 'string' || !Array.isArray(args) || !isIdFine)
      throw this.#bad('an invocation has a target, arguments and, where it is a stream, an invocationId');
    const invocation: Invocation = {
      id: typeof id === 'string' ? id : undefined,
      isStream: type === STREAM_INVOCATION,
      hasEnded: false,
    };
    const call = (lists: readonly (readonly unknown[])[]): Extract<Heard, { type: 'call' }> => ({
      type: 'call',
      unit: unitOf('signalr', '', target, [...(args as unknown[]), ...lists]),
      ref: invocation,
    });
    if (!Array.isArray(streamIds) || streamIds.length === 0) return [call([])];
    return this.#heard(this.#streams.begin(streamIds, invocation.id, call));
  }

  #heard(what: Heard | UploadFailure | undefined): readonly Heard[] {
    if (what === undefined) return [];
    if ('type' in what) return [what];
    const { invocationId, error } = what;
    if (invocationId === undefined) return [];
    return [{ type: 'control', packets: [this.#record({ type: COMPLETION, invocationId, error })] }];
  }
}

function notStreaming({ unit }: DialectMessage): string {
  return `The client attempted to invoke the streaming '${unit.name}' method with a non-streaming invocation.`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (plainJson(value) ?? 'undefined');
}
