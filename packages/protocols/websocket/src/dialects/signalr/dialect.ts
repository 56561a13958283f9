import { invalid } from '@backlot/core/plugin';
import { DialectError, type Dialect, type EventFields, type Heard, type Packet } from '../dialect.js';
import type { DialectMessage } from '../dialect-message.js';
import { parseDialectJson, plainJson } from '../json.js';
import type { Saying } from '../saying.js';
import { entryOf, unitOf } from '../unit.js';

const END = '\u001E';
/** Most bytes of a message that comes in several parts, and most messages in one. */
const MAX_LENGTH = 1024 * 1024;
const MAX_RECORDS = 10_000;
/** Milliseconds between pings, as ASP.NET Core has it. */
const PING_EVERY = 15_000;

/** The types of messages of the hub protocol. */
const INVOCATION = 1;
const STREAM_ITEM = 2;
const COMPLETION = 3;
const STREAM_INVOCATION = 4;
const CANCEL = 5;
const PING = 6;
const CLOSE = 7;

type Fields = Readonly<Record<string, unknown>>;

/** An invocation that is answered. */
interface Invocation {
  /** Absent: no answer is wanted. */
  readonly id: string | undefined;
  readonly isStream: boolean;
  /** Whether its end was sent. */
  hasEnded: boolean;
}

/** A hub of ASP.NET Core SignalR, in its JSON protocol. */
export class SignalrDialect implements Dialect {
  readonly name = 'signalr';
  readonly beat = { every: PING_EVERY, packets: [record({ type: PING })] };
  /** A client that is refused goes. */
  readonly closesRefused = true;
  #hasShaken = false;
  #rest = '';

  *read(packet: Packet): Iterable<Heard> {
    if (typeof packet !== 'string') throw bad('bytes are no message of the JSON protocol');
    const text = this.#rest + packet;
    // Looked for in what is new alone: a client may send a record byte by byte.
    const records = packet.includes(END) ? text.split(END) : [text];
    this.#rest = records.pop() ?? '';
    if (this.#rest.length > MAX_LENGTH) throw bad(`a message has more than ${MAX_LENGTH} characters`);
    if (records.length > MAX_RECORDS) throw bad(`more than ${MAX_RECORDS} messages came in one`);
    for (const each of records) yield* this.#readRecord(each);
  }

  accept(): readonly Packet[] {
    return [record({})];
  }

  refuse(_join: DialectMessage, error: unknown): readonly Packet[] {
    return [record({ error: textOf(error ?? 'There is no hub.') })];
  }

  event(_room: string, { target, args = [], event, payload }: EventFields): readonly Packet[] {
    if (target === undefined || event !== undefined || payload !== undefined) {
      const message = 'must be {target, args} in the dialect signalr';
      throw invalid(`data for websocket ${message}`, [{ path: '/data', message }]);
    }
    return [record({ type: INVOCATION, target, arguments: args })];
  }

  answer(call: DialectMessage, say: Exclude<Saying['say'], 'event'>, value: unknown): readonly Packet[] {
    const invocation = call.ref as Invocation;
    const { id, isStream, hasEnded } = invocation;
    if (id === undefined || hasEnded) return [];
    const end = (fields: Fields): Packet => {
      invocation.hasEnded = true;
      return record({ type: COMPLETION, invocationId: id, ...fields });
    };
    const itemOf = (item: unknown): Packet => record({ type: STREAM_ITEM, invocationId: id, item });
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
    return [record({ type: CLOSE, ...(error === undefined ? {} : { error }) })];
  }

  goodbye(): readonly Packet[] {
    return this.#hasShaken ? [record({ type: CLOSE, allowReconnect: true })] : [];
  }

  #readRecord(text: string): readonly Heard[] {
    const value = parseDialectJson(text);
    if (typeof value !== 'object' || value === null) {
      throw bad(`${JSON.stringify(text.slice(0, 60))} is no message of the JSON protocol`);
    }
    const fields = value as Fields;
    return this.#hasShaken ? readMessage(fields) : [this.#shake(fields)];
  }

  #shake({ protocol, version }: Fields): Heard {
    const refusal =
      protocol !== 'json'
        ? `The protocol '${textOf(protocol)}' is not supported.`
        : version !== 1
          ? `The server does not support version ${textOf(version)} of the 'json' protocol.`
          : undefined;
    if (refusal !== undefined) throw new DialectError(refusal, [record({ error: refusal })]);
    this.#hasShaken = true;
    return { type: 'join', unit: entryOf('signalr', '', 'protocol', undefined) };
  }
}

function readMessage(fields: Fields): readonly Heard[] {
  const { type, target, arguments: args, invocationId: id, streamIds } = fields;
  switch (type) {
    case INVOCATION:
    case STREAM_INVOCATION: {
      const isIdFine = typeof id === 'string' || ((id === undefined || id === null) && type === INVOCATION);
      if (typeof target !== 'string' || !Array.isArray(args) || !isIdFine)
        throw bad('an invocation has a target, arguments and, where it is a stream, an invocationId');
      const invocation: Invocation = {
        id: typeof id === 'string' ? id : undefined,
        isStream: type === STREAM_INVOCATION,
        hasEnded: false,
      };
      if (Array.isArray(streamIds) && streamIds.length > 0) {
        const error = 'A mock takes no streams from its client.';
        const completion = record({ type: COMPLETION, invocationId: invocation.id, error });
        return [{ type: 'control', packets: invocation.id === undefined ? [] : [completion] }];
      }
      return [{ type: 'call', unit: unitOf('signalr', '', target, args), ref: invocation }];
    }
    case CANCEL:
      return [
        {
          type: 'cancel',
          isFor: (ref) => (ref as Invocation | undefined)?.id === id && id !== undefined,
          packets: [record({ type: COMPLETION, invocationId: id })],
        },
      ];
    case CLOSE:
      return [{ type: 'bye', reason: '' }];
    case STREAM_ITEM:
    case COMPLETION:
    case PING:
      // What a client streams was refused with its invocation, and a server that asks for no result gets none.
      return [{ type: 'control', packets: [] }];
    default:
      throw bad(`a message has the type ${textOf(type)}; it has one from 1 to 7`);
  }
}

function notStreaming({ unit }: DialectMessage): string {
  return `The client attempted to invoke the streaming '${unit.name}' method with a non-streaming invocation.`;
}

function bad(message: string): DialectError {
  return new DialectError(message, [
    record({ type: CLOSE, error: `Connection closed with an error. ${message}.` }),
  ]);
}

function record(fields: Fields): string {
  return plainJson(fields) + END;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (plainJson(value) ?? 'undefined');
}
