import { readFrames, type Connection } from '@backlot/kit';
import { CommandFramer, MAX_LINE } from '../wire/command-framer.js';

/** The longest message of APPEND. */
export const MAX_MESSAGE = 16 * 1024 * 1024;

const MAX_LITERALS = 200;
const LITERAL = /\{(\d{1,20})(\+?)\}$/;
const APPEND = /^\S+ append /i;

type Part = string | Buffer;

/** What an intake asks of its session. */
export interface IntakeOwner {
  readonly isLoggedIn: boolean;
  /** Whether the next line is the answer to a continuation request, and no command. */
  readonly isAsking: boolean;
  /** Takes a command: texts, each followed by its literal, and a last text. */
  take(parts: readonly Part[]): void;
  /** A literal is too long, and the client waits for a word before it sends it. */
  refuse(line: string, text: string): void;
  /** The connection cannot go on. */
  bye(text: string): void;
}

/** Gathers commands out of lines and literals (RFC 3501, section 4.3; RFC 7888), within limits. */
export class Intake {
  readonly #connection: Connection;
  readonly #owner: IntakeOwner;
  readonly #framer = new CommandFramer();
  #parts: Part[] = [];
  #size = 0;
  #isLiteral = false;

  constructor(connection: Connection, owner: IntakeOwner) {
    this.#connection = connection;
    this.#owner = owner;
    readFrames(
      connection,
      this.#framer,
      (frame) => this.#take(frame),
      (error) => owner.bye(error.message),
    );
    connection.onSecure(() => this.#forget());
  }

  #take(frame: Buffer): void {
    if (this.#isLiteral) {
      this.#isLiteral = false;
      this.#parts.push(frame);
      return;
    }
    const line = frame.toString('latin1');
    const literal = this.#owner.isAsking ? null : LITERAL.exec(line);
    if (literal !== null) return this.#begin(line, literal);
    const parts = this.#parts;
    parts.push(line);
    this.#forget();
    this.#owner.take(parts);
  }

  #begin(line: string, [mark, digits = '', plus]: RegExpExecArray): void {
    const length = Number(digits);
    const problem = this.#problemOf(line, length);
    if (problem !== undefined) {
      // With LITERAL+ the bytes are on their way already, and nobody knows how many really come.
      if (plus === '+') return this.#owner.bye(problem);
      const first = this.#parts[0] ?? line;
      this.#forget();
      return this.#owner.refuse(typeof first === 'string' ? first : line, problem);
    }
    this.#parts.push(line.slice(0, line.length - mark.length));
    this.#size += line.length + length;
    this.#isLiteral = true;
    this.#framer.expectBytes(length);
    if (plus !== '+') this.#connection.write('+ go ahead\r\n');
  }

  #problemOf(line: string, length: number): string | undefined {
    const first = this.#parts[0] ?? line;
    const isAppend = typeof first === 'string' && APPEND.test(first);
    const limit = this.#owner.isLoggedIn && isAppend ? MAX_MESSAGE : MAX_LINE;
    if (length > limit) return `a literal of ${length} bytes is too long; ${limit} are the most`;
    const most = this.#owner.isLoggedIn ? limit + MAX_LINE : MAX_LINE;
    if (this.#size + length > most || this.#parts.length >= 2 * MAX_LITERALS) {
      return 'the command is too long';
    }
    return undefined;
  }

  #forget(): void {
    this.#parts = [];
    this.#size = 0;
    this.#isLiteral = false;
  }
}
