import type { Replier } from '@backlot/kit/http';
import type { Handshake } from '../../handshake.js';
import type { WebsocketContext } from '../../shape.js';
import { DialectSession } from '../session.js';
import type { SocketCarrier } from '../socket-carrier.js';
import { refusal, textAnswer } from './answers.js';
import { SocketIoDialect } from './dialect.js';
import { EngineSession } from './session.js';
import { WIRE_4, wireOf } from './wire.js';

const NO_BYTES = Buffer.alloc(0);
/** Sessions that may be open by long polling; a connection each does not bound them. */
const MAX_SESSIONS = 10_000;

/** The sessions of all clients of socket.io. */
export class Engines {
  readonly #context: WebsocketContext;
  readonly #sessions = new Map<
    string,
    { readonly engine: EngineSession; readonly session: DialectSession }
  >();

  constructor(context: WebsocketContext) {
    this.#context = context;
  }

  /** The open sessions. */
  *sessions(): Iterable<DialectSession> {
    for (const { session } of [...this.#sessions.values()]) yield session;
  }

  /** Why an upgrade cannot be taken; `undefined` when it can. */
  whyNot({ query }: Handshake): ReturnType<typeof refusal> | undefined {
    const { EIO: version, sid } = query;
    if (wireOf(version) === undefined) return refusal('version');
    if (sid === undefined) return undefined;
    const engine = this.#find(sid);
    if (engine === undefined) return refusal('session');
    return engine.hasSocket ? refusal('request') : undefined;
  }

  /** Takes a WebSocket: of a new client, or of one that moves from long polling. @returns the session of a new client */
  open(handshake: Handshake, socket: SocketCarrier): DialectSession | undefined {
    const engine = this.#find(handshake.query['sid']);
    if (engine !== undefined) {
      engine.move(socket);
      return undefined;
    }
    const made = this.#make(handshake);
    made.engine.begin(socket);
    return made.session;
  }

  /** Takes a request of long polling. */
  request(method: string, handshake: Handshake, body: Buffer | undefined, replier: Replier): void {
    const { EIO: version, transport, sid } = handshake.query;
    const wire = wireOf(version);
    if (wire === undefined) return replier.send(refusal('version'));
    if (transport !== 'polling')
      return replier.send(refusal(transport === 'websocket' ? 'request' : 'transport'));
    if (sid === undefined) {
      if (method !== 'GET') return replier.send(refusal('method'));
      if (this.#sessions.size >= MAX_SESSIONS) return replier.send(refusal('request'));
      const { engine } = this.#make(handshake);
      replier.send(textAnswer(wire.write([engine.opening()])));
      return engine.greet();
    }
    const engine = this.#find(sid);
    if (engine === undefined) return replier.send(refusal('session'));
    if (method === 'GET') engine.takePoll(replier);
    else if (method === 'POST') engine.takePost(replier, body ?? NO_BYTES);
    else replier.send(refusal('request'));
  }

  #make(handshake: Handshake): { readonly engine: EngineSession; readonly session: DialectSession } {
    const context = this.#context;
    const id = context.newId();
    const wire = wireOf(handshake.query['EIO']) ?? WIRE_4;
    const engine = new EngineSession({
      ...{ id, wire, log: context.log, onEnd: () => this.#sessions.delete(id) },
    });
    const dialect = new SocketIoDialect(() => context.newId(), wire.version === 3 ? 4 : 5);
    const session = new DialectSession(context, handshake, engine, dialect);
    engine.listen(session);
    const made = { engine, session };
    this.#sessions.set(id, made);
    return made;
  }

  #find(id: unknown): EngineSession | undefined {
    return typeof id === 'string' ? this.#sessions.get(id)?.engine : undefined;
  }
}
