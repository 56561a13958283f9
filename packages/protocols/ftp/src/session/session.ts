import { nextTurn, Slice, type SpaceDoor } from '@backlot/core/plugin';
import { type Connection, describeClient, enterSpace } from '@backlot/kit';
import { isFramingError } from '@backlot/kit/framing';
import type { CommandContext } from '../commands/command-context.js';
import { COMMANDS } from '../commands/table.js';
import type { DataChannel } from '../data/data-channel.js';
import { FACTS, type Fact } from '../files/format-entry.js';
import type { IndexedFile } from '../mock-index.js';
import { ROOT } from '../files/path.js';
import { CommandChannel } from '../library/command-channel.js';
import type { LibraryClient } from '../library/ftp-library.js';
import { ReplyError } from '../reply-error.js';
import type { FtpExchange } from '../shape.js';
import { CommandFramer, MAX_LINE } from './command-framer.js';
import { formatReply } from './format-reply.js';
import { parseCommandLine, type CommandLine } from './command-line.js';
import type { Services } from './services.js';

/** Commands that may wait behind the one being answered; then nothing more is read. */
const MAX_WAITING = 64;
/** What may wait to be read by the client before its next command is looked at, in bytes. */
const MAX_UNREAD = 256 * 1024;
const LOGIN_PATIENCE = 60_000;
const IDLE_PATIENCE = 300_000;
/** Commands in a row that are none, after which it is no client that speaks. */
const MAX_UNKNOWN = 20;

/** One control connection: its commands are answered one after the other, in their order; only ABOR comes between. */
export class Session implements CommandContext {
  services: Services;
  readonly connection: Connection;
  readonly library: LibraryClient;
  readonly #waiting: CommandLine[] = [];
  #isRunning = false;
  #isClosing = false;
  #unknown = 0;

  /** The exchange whose answer a delay holds back; it is given up when the client leaves. */
  delayed: FtpExchange | undefined;
  directory = ROOT;
  username = '';
  isLoggedIn = false;
  type: 'A' | 'I' = 'I';
  /** Where the next transfer begins (REST). */
  restart = 0;
  renameFrom: string | undefined;
  /** Whether PBSZ was given, which PROT needs. */
  hasBufferSize = false;
  isProtected: boolean;
  /** EPSV ALL: no other way to make data connections is taken any more (RFC 2428, section 4). */
  isExtendedOnly = false;
  facts: readonly Fact[] = FACTS;
  /** Whether a data connection is being made or used. */
  isTransferring = false;
  /** Whether the client has ended its side of the connection. */
  hasLeft = false;
  /** What SIZE has measured: the next download of that file is to have that size. */
  measured: { readonly file: IndexedFile; readonly bytes: Uint8Array } | undefined;
  /** The last PASV, EPSV, PORT or EPRT, until a transfer has used it. */
  channel: DataChannel | undefined;

  constructor(connection: Connection, services: Services) {
    this.services = services;
    this.connection = connection;
    this.isProtected = connection.encrypted;
    this.library = services.library.open(new CommandChannel(connection));
    const framer = new CommandFramer();
    connection.onData((chunk) => {
      try {
        framer.push(chunk, (line) => this.#take(line));
      } catch (error) {
        if (!isFramingError(error)) throw error;
        this.refuse(500, `a command has at most ${MAX_LINE} bytes`);
      }
    });
    describeClient(connection, () => ({ user: this.isLoggedIn ? this.username : '' }));
    connection.onSecure(() => framer.clear());
    connection.onResume(() => this.#run());
    connection.onEnd(() => this.#leave());
    connection.onClose(() => this.#end());
    this.#watchIdle();
  }

  /** Sends a reply of one or more lines. */
  reply(code: number, ...lines: readonly string[]): void {
    this.connection.write(formatReply(code, lines));
  }

  /** Sends a last reply and ends the connection. */
  refuse(code: number, text: string): void {
    if (this.#isClosing) return;
    this.reply(code, text);
    this.close();
  }

  /** Ends the connection, and reads nothing more. */
  close(): void {
    this.#isClosing = true;
    this.#waiting.length = 0;
    this.closeChannel();
    this.connection.end();
  }

  /** Tells the client that the server stops (421), unless a command is being answered. */
  stop(): void {
    if (!this.#isRunning) this.reply(421, 'the server stops');
  }

  enter(door: SpaceDoor): Promise<void> {
    return enterSpace(door, this.connection, this, { stays: true });
  }

  /** Its client has named the world of these services, and begins anew there. */
  moveTo(services: Services): void {
    this.services = services;
  }

  /** Back to what it was before anybody logged in (REIN, AUTH). */
  restartSession(): void {
    this.closeChannel();
    this.library.logOut();
    this.directory = ROOT;
    this.username = '';
    this.isLoggedIn = false;
    this.type = 'I';
    this.restart = 0;
    this.renameFrom = undefined;
    this.isExtendedOnly = false;
    this.measured = undefined;
    this.facts = FACTS;
    this.#watchIdle();
  }

  /** Somebody has logged in. */
  logIn(): void {
    this.isLoggedIn = true;
    this.#watchIdle();
  }

  /** Gives up the data connection that was asked for. */
  closeChannel(): void {
    this.channel?.close();
    this.channel = undefined;
  }

  /** Takes the offset of REST, which holds for one transfer only. */
  takeRestart(): number {
    const { restart } = this;
    this.restart = 0;
    return restart;
  }

  #take(line: Buffer): unknown {
    if (this.#isClosing || line.length === 0) return undefined;
    const command = parseCommandLine(line);
    if (command === undefined) {
      this.refuse(500, 'a command is a line of text');
      return undefined;
    }
    if (command.verb === 'ABOR' && (this.isTransferring || this.delayed !== undefined)) {
      this.#waiting.unshift(command);
      this.delayed?.abort();
      this.channel?.abort();
    } else this.#waiting.push(command);
    if (this.#waiting.length >= MAX_WAITING) this.connection.pause();
    this.#run();
    return undefined;
  }

  #run(): void {
    if (this.#isRunning || this.#waiting.length === 0) return;
    this.#isRunning = true;
    this.connection.busy();
    this.connection.isolate(() => this.#answerAll())();
  }

  async #answerAll(): Promise<void> {
    try {
      const slice = new Slice();
      while (this.connection.buffered <= MAX_UNREAD) {
        const command = this.#waiting.shift();
        if (command === undefined) break;
        const answering = this.#answer(command);
        if (answering !== undefined) await answering;
        if (this.connection.isEnded) return;
        // A pipeline may be long: other connections are served in between.
        if (slice.isOver && this.#waiting.length > 0) {
          await nextTurn();
          slice.restart();
        }
      }
    } finally {
      this.#isRunning = false;
      this.connection.idle();
    }
    if (this.#waiting.length < MAX_WAITING) this.connection.resume();
  }

  async #answer(command: CommandLine): Promise<void> {
    try {
      await this.#dispatch(command);
    } catch (error) {
      if (error instanceof ReplyError) this.reply(error.code, error.message);
      else {
        this.services.context.log.error(`${command.verb} failed`, error);
        this.reply(451, 'local error');
      }
    }
  }

  async #dispatch({ verb, argument, text }: CommandLine): Promise<void> {
    const command = COMMANDS.get(verb);
    if (command === undefined) return this.#answerOther(verb, text);
    this.#unknown = 0;
    if (verb !== 'RNTO') this.renameFrom = command.keepsRename === true ? this.renameFrom : undefined;
    if (command.beforeLogin !== true && !this.isLoggedIn)
      throw new ReplyError(530, 'log in with USER and PASS');
    await command.run(this, argument, verb);
  }

  /**
   * Hands the few commands to the library that it answers right. It is given no others: it drops quotes from a line,
   * so that it would take `PA"SV` for PASV.
   */
  async #answerOther(verb: string, text: string): Promise<void> {
    if (LIBRARY_COMMANDS.has(verb)) {
      await this.library.handle(text);
      return;
    }
    this.#unknown += 1;
    if (/ HTTP\/\d/.test(text)) this.refuse(500, 'this is an FTP server');
    else if (this.#unknown >= MAX_UNKNOWN) this.refuse(421, 'too many unknown commands');
    else this.reply(502, 'this command is not known');
  }

  #watchIdle(): void {
    const patience = this.isLoggedIn ? IDLE_PATIENCE : LOGIN_PATIENCE;
    this.connection.setIdleTimeout(patience, () =>
      this.refuse(421, `nothing came for ${patience / 1000} seconds`),
    );
  }

  /** Whoever has ended its side waits for nothing: a delayed answer is given up, and no data connection will come. */
  #leave(): void {
    this.hasLeft = true;
    this.delayed?.abort();
    this.channel?.giveUp();
  }

  #end(): void {
    this.#isClosing = true;
    this.#waiting.length = 0;
    this.delayed?.abort();
    this.channel?.abort();
  }
}

/** What the library answers right; the others are in the table. */
const LIBRARY_COMMANDS: ReadonlySet<string> = new Set(['NOOP', 'MODE', 'STRU', 'ALLO', 'SYST']);
