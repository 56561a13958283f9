import type { Random } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { HttpAnswer, type AnswerStream, type Replier, type RequestHead } from '@backlot/kit/http';
import { EVENTS, eventsOf, type Framing } from './framing.js';
import { OwnChannel, type ResultChannel, type ResultWriter } from './result-channel.js';

/** The header that names a connection (graphql-sse, "Single connection mode"). */
const TOKEN_HEADER = 'x-graphql-event-stream-token';
/** Connections that are reserved or open at one time. */
const MAX_CONNECTIONS = 1000;
/** Operations of one connection at one time. */
const MAX_OPERATIONS = 1000;

/** A connection that a client has reserved, over which the results of all its operations go. */
export class ReservedStream {
  /** Absent until the client has opened it. */
  writer: AnswerStream | undefined;
  readonly channels = new Map<string, SharedChannel>();
  /** Ends it normally. */
  end: () => void = () => undefined;

  /**
   * The way for the results of an operation.
   *
   * @param reply - answers the request that has brought it
   * @returns a text that says why there is none
   */
  channel(operationId: unknown, reply: Replier): SharedChannel | string {
    if (typeof operationId !== 'string' || operationId === '')
      return 'an operation over an event stream needs extensions.operationId, a text';
    if (this.writer === undefined) return 'the event stream is not open yet; open it with GET';
    if (this.channels.has(operationId)) return `operation ${JSON.stringify(operationId)} is open already`;
    if (this.channels.size >= MAX_OPERATIONS)
      return `${MAX_OPERATIONS} operations are open already; complete one first`;
    const made = new SharedChannel(this, operationId, this.writer, reply);
    this.channels.set(operationId, made);
    return made;
  }
}

/** The way of one operation over a reserved connection. */
export class SharedChannel implements ResultChannel {
  readonly isOwn = false;
  readonly framing: Framing;
  readonly head = new HttpAnswer(202, { 'Content-Length': 0 });
  readonly #owner: ReservedStream;
  readonly #id: string;
  readonly #writer: ResultWriter;
  readonly #reply: Replier;
  #onClose: ((isGone: boolean) => void) | undefined;
  #isOpen = false;

  constructor(owner: ReservedStream, id: string, writer: ResultWriter, reply: Replier) {
    this.#owner = owner;
    this.#id = id;
    this.#writer = writer;
    this.#reply = reply;
    this.framing = eventsOf(id);
  }

  /** Whether results come, or have come. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): ResultWriter {
    this.#isOpen = true;
    this.#reply.send(this.head);
    return this.#writer;
  }

  end(): void {
    this.#writer.write(this.framing.ending);
    this.#owner.channels.delete(this.#id);
  }

  onClose(listener: (isGone: boolean) => void): void {
    this.#onClose = listener;
  }

  /**
   * The client wants no more of it.
   *
   * @param isGone - whether it has left altogether
   */
  close(isGone: boolean): void {
    this.#owner.channels.delete(this.#id);
    this.#onClose?.(isGone);
  }
}

/** The connections that clients have reserved for events. */
export class ReservedStreams {
  readonly #random: (part: string) => Random;
  readonly #connections = new Map<string, ReservedStream>();
  #made = 0;

  constructor(random: (part: string) => Random) {
    this.#random = random;
  }

  /** The connection of a token; `undefined` when it is not known. */
  find(token: string): ReservedStream | undefined {
    return this.#connections.get(token);
  }

  /** Reserves one; gives its token. The oldest one that nobody has opened makes room. */
  reserve(): string | undefined {
    if (this.#connections.size >= MAX_CONNECTIONS) {
      const idle = [...this.#connections].find(([, { writer }]) => writer === undefined);
      if (idle === undefined) return undefined;
      this.#connections.delete(idle[0]);
    }
    this.#made += 1;
    const random = this.#random(String(this.#made));
    const token = Array.from({ length: 32 }, () => random.int(0, 15).toString(16)).join('');
    this.#connections.set(token, new ReservedStream());
    return token;
  }

  /** Opens one with the answer to a request. */
  open(
    head: RequestHead,
    known: ReservedStream,
    reply: Replier,
    connection: Connection,
    further: Readonly<Record<string, string>>,
  ): void {
    const token = tokenOf(head)?.text ?? '';
    const channel = new OwnChannel(reply, connection, EVENTS, further);
    known.writer = channel.open();
    known.end = () => {
      for (const each of [...known.channels.values()]) each.close(false);
      known.writer?.end();
    };
    connection.busy();
    reply.onClose(() => {
      connection.idle();
      this.#connections.delete(token);
      for (const each of [...known.channels.values()]) each.close(true);
    });
  }

  /** Ends all of them. */
  end(): void {
    for (const each of this.#connections.values()) each.end();
  }
}

/** The token that a request has, in its header or its url. */
export function tokenOf({
  headers,
  url = '',
}: RequestHead): { readonly text: string; readonly isHeader: boolean } | undefined {
  const given = headers[TOKEN_HEADER];
  if (typeof given === 'string') return { text: given, isHeader: true };
  if (!url.includes('token=')) return undefined;
  const text = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('token');
  return text === null ? undefined : { text, isHeader: false };
}
