import type { Message } from '@backlot/core/plugin';
import type { FramingName } from './framing.js';
import type { DialectName } from './dialects/fields.js';
import type { Unit } from './dialects/unit.js';
import type { Handshake } from './handshake.js';

/** What happens on a connection, as the journal calls it. */
type Method = 'CONNECT' | 'MESSAGE' | 'CLOSE';

/** Something that a client did: it connected, sent a message, or left. */
export class WebsocketMessage implements Message {
  readonly method: Method;
  readonly handshake: Handshake;
  /** A text for a text message, bytes for a binary one. */
  declare readonly body?: string | Buffer;
  /** No mock has matched: the index then gives every mock of the path, so that each can say why. */
  isUnmatched = false;
  /** The close code, where a connection has ended. */
  declare readonly code?: number;

  constructor(method: Method, handshake: Handshake, body?: string | Buffer, code?: number) {
    this.method = method;
    this.handshake = handshake;
    if (body !== undefined) this.body = body;
    if (code !== undefined) this.code = code;
  }

  get path(): string {
    return this.handshake.path;
  }

  get remote(): string {
    return this.handshake.remote;
  }

  get headers(): Handshake['headers'] {
    return this.handshake.headers;
  }

  get query(): Handshake['query'] {
    return this.handshake.query;
  }

  /** The messages of a connection share its handshake, so that it counts once. */
  get size(): number {
    return this.method === 'CONNECT' ? this.handshake.size : 0;
  }

  /** What it says in the terms of a dialect; absent without one. */
  get unit(): Unit | undefined {
    return undefined;
  }

  /** What rules for exact messages are found by: the message itself, or what it is called in its dialect. */
  get key(): string | Buffer {
    return this.body ?? '';
  }

  get isBinary(): boolean {
    return Buffer.isBuffer(this.body);
  }

  /** For templates: `request.subprotocol`, `request.host`, `request.binary`, and what `emit` finds the connection by as `request.stream`. */
  get extras(): Readonly<Record<string, unknown>> {
    const { subprotocol = '', stream = '', host } = this.handshake;
    const { code } = this;
    return { subprotocol, host, binary: this.isBinary, stream, ...(code === undefined ? {} : { code }) };
  }
}

/** What a mock says about the connections that it lets in. */
interface Admitting {
  readonly id: string;
  readonly subprotocol: string | undefined;
  readonly framing: FramingName | undefined;
  readonly dialect: DialectName | undefined;
}

/** Asks for the mock that lets a client in; nothing is counted. */
export class AdmissionProbe extends WebsocketMessage {
  /** The subprotocol of the first mock for the path; `undefined` while there is none, `""` when it names none. */
  subprotocol: string | undefined = undefined;
  /** The framing of that mock, `""` when it has none. */
  framing: FramingName | '' = '';
  /** The dialect of that mock, `""` when it has none. */
  dialect: DialectName | '' = '';
  /** The id of that mock. */
  mockId: string | undefined = undefined;

  constructor(handshake: Handshake) {
    super('CONNECT', handshake);
  }

  /** A mock lets the client in. Mocks are asked in their order; the first one decides. */
  admit({ id, subprotocol, framing, dialect }: Admitting): void {
    if (this.mockId !== undefined) return;
    this.mockId = id;
    this.subprotocol = subprotocol ?? '';
    this.framing = framing ?? '';
    this.dialect = dialect ?? '';
  }
}
