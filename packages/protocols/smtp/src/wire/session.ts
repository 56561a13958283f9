import type { Socket } from 'node:net';
import { type Connection, describeClient, isBearerMechanism } from '@backlot/kit';
import type { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import type { MailTransactions } from '../mail-transactions.js';
import { beginBearer } from './bearer-auth.js';
import { MailParser } from './mail-parser.js';

/** RFC 5321, 4.5.3.1.4, asks for 512 octets, extensions for some hundred more. */
const MAX_COMMAND_LINE = 2048;
/** RFC 4954, 4: the longest line of a login. */
const MAX_LOGIN_LINE = 12_288;
/** So many wrong commands without a mail in between end a session. */
const MAX_ERRORS = 20;

/**
 * The library's half of a connection: commands, their order, replies and dot-stuffing. What it lets the protocol do over
 * the library: greet at once, answer lines that are too long, bound the errors of a session, leave TLS to the kit, and end
 * when the client has ended and all is answered.
 */
export class MailSession extends SMTPConnection {
  readonly #connection: Connection;
  readonly #transactions: MailTransactions;
  readonly #isGreeted: boolean;
  readonly #startOver: () => void;
  #errors = 0;

  /**
   * @param isGreeted - whether the client was greeted before STARTTLS
   * @param startOver - makes the session that follows STARTTLS
   */
  constructor(
    server: SMTPServer,
    connection: Connection,
    transactions: MailTransactions,
    { isGreeted, startOver }: { readonly isGreeted: boolean; readonly startOver: () => void },
  ) {
    super(server, stillAnswered(connection.socket));
    this.#connection = connection;
    this.#transactions = transactions;
    this.#isGreeted = isGreeted;
    this.#startOver = startOver;
    this.session.secure = this.secure = connection.encrypted;
    describeClient(connection, () => ({ user: String(this.session.user ?? '') }));
    // What a socket met with is the client's business; without a listener it would end the process.
    this.on('error', () => undefined);
  }

  /** The library waits 100 ms for clients that speak first, and then refuses them; here they are greeted and served. */
  override init(): void {
    this._setListeners(() => this.connectionReady());
  }

  override _sendGreeting(): void {
    if (!this.#isGreeted) super._sendGreeting();
  }

  override _createParser(): MailParser {
    const parser = new MailParser({ maxCommandLength: MAX_LOGIN_LINE });
    parser.on('error', () => {
      this.send(500, 'Error: line too long', false);
      this.close();
    });
    parser.oncommand = (command, callback) => this.#takeLine(command, callback);
    // All that the client sent before its end is answered by now.
    parser.on('finish', () => this.close());
    return parser;
  }

  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    if (code === 354) this.#errors = 0;
    if (code >= 500 && code <= 504) {
      this.#errors += 1;
      if (this.#errors >= MAX_ERRORS) {
        super.send(421, 'Error: too many errors', false);
        return;
      }
    }
    super.send(code, data, context);
  }

  /** RSET, a new EHLO, or the end of a mail. */
  override _resetSession(): void {
    super._resetSession();
    this.#transactions.cancel();
  }

  override _validateMailParams(
    parsed: Parameters<SMTPConnection['_validateMailParams']>[0],
  ): ReturnType<SMTPConnection['_validateMailParams']> {
    const problem = super._validateMailParams(parsed);
    if (problem?.code === 552)
      this.#transactions.refuseSize(parsed.address, { code: problem.code, text: problem.message });
    return problem;
  }

  override handler_AUTH(command: Buffer, callback: () => void): void {
    const [, name = '', ...args] = command.toString().trim().split(/\s+/);
    const mechanism = name.toUpperCase();
    const isOffered = this._server.options.authMethods.includes(mechanism);
    if (isBearerMechanism(mechanism) && isOffered && !this.session.user)
      beginBearer(this, mechanism, args, callback);
    else super.handler_AUTH(command, callback);
  }

  override handler_STARTTLS(command: Buffer, callback: () => void): void {
    if (command.toString().trim().includes(' ')) {
      this.send(501, 'Error: syntax: STARTTLS', false);
      callback();
    } else if (this.secure) {
      this.send(503, 'Error: TLS already active', false);
      callback();
    } else {
      this.send(220, 'Ready to start TLS', false);
      this.#retire();
      callback();
      this.#upgrade();
    }
  }

  /** Tells a client that waits for no reply that the server stops (421). */
  stop(): void {
    if (!this.#transactions.isWaiting && !this._closing) {
      this.send(421, `${this.name} is shutting down`, false);
    }
  }

  #takeLine(line: Buffer, callback?: () => void): void {
    const isLogin = this._nextHandler !== false || /^auth /i.test(line.toString('latin1', 0, 5));
    if (line.length <= (isLogin ? MAX_LOGIN_LINE : MAX_COMMAND_LINE)) {
      this._onCommand(line, callback);
      return;
    }
    this._nextHandler = false;
    this.send(500, 'Error: line too long', false);
    callback?.();
  }

  /** Lets go of the socket. What came in the clear behind STARTTLS is thrown away with the parser (RFC 3207, 6). */
  #retire(): void {
    const socket = this._socket;
    this.#transactions.cancel();
    if (this._parser !== false) {
      socket.unpipe(this._parser);
      this._parser.isClosed = true;
    }
    this._server.connections.delete(this);
    socket.setTimeout(0);
    socket.removeAllListeners('timeout');
  }

  #upgrade(): void {
    const connection = this.#connection;
    // A handshake that fails has ended the connection.
    connection.startTls().then(
      connection.isolate(() => this.#startOver()),
      () => undefined,
    );
  }
}

/**
 * Lets the library answer a client that has ended its side and not ours: it writes only to sockets that are `open`, so that
 * such a client would get no answer to a mail that took longer to read than its end took to arrive.
 */
function stillAnswered(socket: Socket): Socket {
  return Object.defineProperty(socket, 'readyState', {
    configurable: true,
    get: () => (socket.writable ? 'open' : 'closed'),
  });
}
