import type { Connection } from '@backlot/kit';
import {
  corsHeaders,
  HttpAnswer,
  isPreflight,
  preflightHeaders,
  type Replier,
  type RequestHead,
} from '@backlot/kit/http';
import { Handshake } from '../handshake.js';
import { AdmissionProbe } from '../message.js';
import type { WebsocketContext } from '../shape.js';
import type { DialectName } from './fields.js';
import { hubOf } from './signalr/negotiate.js';
import type { Speeches } from './speeches.js';

/** A request that a dialect takes. */
interface Taken {
  readonly dialect: DialectName;
  readonly handshake: Handshake;
}

/** The requests of HTTP that belong to dialects: how to connect, and long polling. */
export class HttpSide {
  readonly #context: WebsocketContext;
  readonly #speeches: Speeches;

  constructor(context: WebsocketContext, speeches: Speeches) {
    this.#context = context;
    this.#speeches = speeches;
  }

  /** Whether a dialect takes a request. */
  takes(head: RequestHead): boolean {
    return this.#context.mocks.index.dialects > 0 && this.#find(head, '') !== undefined;
  }

  /** Answers a request that {@link takes} was true for. */
  answer(head: RequestHead, body: Buffer | undefined, connection: Connection, replier: Replier): void {
    const taken = this.#find(head, connection.remote);
    const { method = 'GET', headers } = head;
    const shared = corsHeaders(head) ?? {};
    if (isPreflight(method, headers))
      return replier.send(new HttpAnswer(204, { ...shared, ...preflightHeaders(head) }));
    const answering: Replier = {
      send: (answer) => replier.send(answer.withHeaders(shared)),
      stream: (answer) => replier.stream(answer.withHeaders(shared)),
      truncate: (answer, bytes) => replier.truncate(answer, bytes),
      lose: (form, random) => replier.lose(form, random),
      get hasBegun() {
        return replier.hasBegun;
      },
      onClose: (listener) => replier.onClose(connection.isolate(listener)),
    };
    if (taken === undefined) return answering.send(new HttpAnswer(404, { 'Content-Length': 0 }));
    // An answer that waits is one that the end of the server waits for no longer than for others.
    connection.busy();
    replier.onClose(() => connection.idle());
    void this.#speeches.load(taken.dialect).then(
      connection.isolate((speech) => {
        if (!connection.isClosed) speech.request?.(method, taken.handshake, body, answering);
      }),
      connection.isolate((error: unknown) => {
        throw error;
      }),
    );
  }

  #find({ url = '/', rawHeaders }: RequestHead, remote: string): Taken | undefined {
    const [path = '/', query = ''] = url.split('?', 2);
    const hub = hubOf(path);
    for (const [target, wanted] of [
      [url, 'socket.io'],
      ...(hub === undefined ? [] : [[`${hub}?${query}`, 'signalr'] as const]),
    ] as const) {
      const handshake = new Handshake({ target, rawHeaders, remote });
      const probe = new AdmissionProbe(handshake);
      if (!this.#context.mocks.matches(probe) || probe.dialect !== wanted) continue;
      handshake.framing = '';
      handshake.dialect = wanted;
      handshake.subprotocol = '';
      return { dialect: wanted, handshake };
    }
    return undefined;
  }
}
