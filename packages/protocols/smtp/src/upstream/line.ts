import type { Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import { UpstreamLine, type UpstreamLog } from '@backlot/kit/upstream';
import { ReplyReader, type ReadReply } from './reply-reader.js';

const DOT = 0x2e;
const LF = 0x0a;
/** How the line to the upstream introduces itself. */
const GREETING = 'EHLO backlot.local';

interface Asked {
  readonly resolve: (reply: ReadReply) => void;
  readonly reject: (problem: Error) => void;
}

/** The session with an upstream for one client. */
export class SmtpLine {
  readonly #line: UpstreamLine;
  readonly #startsTls: boolean;
  readonly #log: UpstreamLog;
  readonly #reader = new ReplyReader();
  readonly #asked: Asked[] = [];
  #ready: Promise<void> | undefined;
  #features: ReadonlyMap<string, string> = new Map();
  #problem: Error | undefined;

  constructor(connection: Connection, upstream: Upstream, authorities: Buffer | undefined, log: UpstreamLog) {
    this.#startsTls = upstream.startsTls;
    this.#log = log;
    this.#line = new UpstreamLine(connection, upstream, authorities, log, {
      data: (chunk) => this.#take(chunk),
      end: (problem) => this.#fail(problem ?? new Error('it has closed the connection')),
    });
  }

  /** What the upstream offers, in capital letters, with its parameters. @throws Error as {@link ask} does */
  async features(): Promise<ReadonlyMap<string, string>> {
    await (this.#ready ??= this.#greet());
    return this.#features;
  }

  /**
   * Says a command and waits for its reply; greets first where that was not done.
   *
   * @throws Error when the upstream cannot be reached, does not take the session, or breaks off
   */
  async ask(command: string): Promise<ReadReply> {
    await (this.#ready ??= this.#greet());
    return this.#say(Buffer.from(`${command}\r\n`));
  }

  /** Sends the content of a mail and waits for the reply. @param raw - without dot-stuffing */
  send(raw: Buffer): Promise<ReadReply> {
    return this.#say(stuff(raw));
  }

  async #greet(): Promise<void> {
    const greeting = await new Promise<ReadReply>((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      this.#line.open();
    });
    if (greeting.code !== 220) throw new Error(`it has greeted with ${greeting.code} ${greeting.text}`);
    const isExtended = await this.#introduce();
    if (this.#startsTls) {
      await this.#startTls();
      // What was said in the clear counts no more (RFC 3207, 4.2).
      if (await this.#introduce()) return;
    } else if (isExtended) return;
    const { code, text } = await this.#say(Buffer.from(`${GREETING.replace('EHLO', 'HELO')}\r\n`));
    if (code !== 250) throw new Error(`it has answered HELO with ${code} ${text}`);
  }

  /** Says EHLO, and keeps what the upstream offers. @returns whether it has answered */
  async #introduce(): Promise<boolean> {
    const { code, lines } = await this.#say(Buffer.from(`${GREETING}\r\n`));
    if (code !== 250) return false;
    this.#features = new Map(
      lines.slice(1).map((line) => {
        const [name = '', ...parameters] = line.split(/[ =]/);
        return [name.toUpperCase(), parameters.join(' ').toUpperCase()];
      }),
    );
    return true;
  }

  async #startTls(): Promise<void> {
    if (!this.#features.has('STARTTLS')) throw new Error('it does not offer STARTTLS');
    const { code, text } = await this.#say(Buffer.from('STARTTLS\r\n'));
    if (code !== 220) throw new Error(`it has answered STARTTLS with ${code} ${text}`);
    // What came behind it in the clear could be of anybody.
    if (this.#reader.waiting > 0) throw new Error('it has said more before TLS has begun');
    try {
      await this.#line.secure();
    } catch (thrown) {
      this.#log.failed(thrown);
      this.#fail(thrown as Error);
      throw thrown;
    }
  }

  #say(bytes: Buffer): Promise<ReadReply> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      this.#line.send(bytes);
    });
  }

  #take(chunk: Buffer): void {
    try {
      for (const reply of this.#reader.push(chunk)) {
        const asked = this.#asked.shift();
        // What comes unasked says why it ends, such as 421.
        if (asked === undefined) this.#fail(new Error(`it has said ${reply.code} ${reply.text}`));
        else asked.resolve(reply);
      }
    } catch (thrown) {
      this.#fail(thrown as Error);
    }
  }

  #fail(problem: Error): void {
    this.#problem ??= problem;
    for (const { reject } of this.#asked.splice(0)) reject(this.#problem);
  }
}

/** A mail with dots doubled at the beginning of lines, and its end (RFC 5321, 4.5.2). */
function stuff(raw: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = raw.indexOf(DOT); at >= 0; at = raw.indexOf(DOT, at + 1)) {
    if (at > 0 && raw[at - 1] !== LF) continue;
    parts.push(raw.subarray(from, at + 1));
    from = at;
  }
  parts.push(raw.subarray(from));
  const ends = raw.length === 0 || raw[raw.length - 1] === LF;
  return Buffer.concat([...parts, Buffer.from(ends ? '.\r\n' : '\r\n.\r\n')]);
}
