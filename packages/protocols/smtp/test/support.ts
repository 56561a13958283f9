import net from 'node:net';
import tls from 'node:tls';
import {
  abandon,
  collectCleanups,
  startKind,
  type RunningKind,
  type StartKindOptions,
} from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { smtp } from '../src/index.js';

const afterThis = collectCleanups();

/** A captured mail as the management port shows it. */
export interface Captured {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly body: string;
  readonly body_encoding?: string;
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text?: string;
  readonly html?: string;
  readonly attachments: readonly { filename: string; content_type: string; size: number }[];
  readonly cc: readonly string[];
  readonly message_id?: string;
}

export interface Running extends RunningKind {
  emails(): readonly Captured[];
  entries(): readonly Json[];
}

/** A host with a running SMTP kind; it is stopped after the test. */
export async function startHost(settings: Json = {}, file: StartKindOptions = {}): Promise<Running> {
  const running = await startKind(smtp, afterThis, settings, file);
  return {
    ...running,
    emails: () => (running.kind.captures?.values() ?? []) as readonly Captured[],
    entries: () => running.host.journal.list({ protocol: 'smtp' }),
  };
}

/** A client that writes what it is told, and reads replies. */
export class RawClient {
  socket: net.Socket;
  isClosed = false;
  #text = '';
  readonly #watchers = new Set<() => void>();

  constructor(socket: net.Socket) {
    this.socket = socket;
    this.#listen(socket);
    afterThis(() => (this.socket instanceof tls.TLSSocket ? this.socket.destroy() : abandon(this.socket)));
  }

  /** Connects and reads the greeting. */
  static async open(port: number, options: { tls?: boolean; greeting?: boolean } = {}): Promise<RawClient> {
    const place = { port, host: '127.0.0.1' };
    const socket =
      options.tls === true ? tls.connect({ ...place, rejectUnauthorized: false }) : net.connect(place);
    socket.setNoDelay(true);
    const client = new RawClient(socket);
    // A connection that is refused shows as closed.
    await new Promise<void>((resolve) =>
      socket
        .once(options.tls === true ? 'secureConnect' : 'connect', () => resolve())
        .once('close', () => resolve()),
    );
    if (options.greeting !== false) await client.reply();
    return client;
  }

  /** Opens a session: greeting and EHLO. */
  static async greet(port: number): Promise<RawClient> {
    const client = await RawClient.open(port);
    await client.say('EHLO client.example');
    return client;
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Writes a command and reads its reply. */
  say(command: string): Promise<string> {
    this.write(`${command}\r\n`);
    return this.reply();
  }

  /** Says several commands, one after the other. */
  async sayAll(...commands: readonly string[]): Promise<string[]> {
    const replies: string[] = [];
    for (const command of commands) replies.push(await this.say(command));
    return replies;
  }

  /** The next reply, lines joined by a line feed; `closed` once the server has ended. */
  async reply(): Promise<string> {
    for (;;) {
      const found = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(this.#text);
      if (found !== null) {
        this.#text = this.#text.slice(found[0].length);
        return found[0].replaceAll('\r', '').trimEnd();
      }
      if (this.isClosed) return 'closed';
      await this.#change();
    }
  }

  /** All replies until the server ends. */
  async replies(): Promise<string[]> {
    const replies: string[] = [];
    for (let reply = await this.reply(); reply !== 'closed'; reply = await this.reply()) replies.push(reply);
    return replies;
  }

  async closed(): Promise<void> {
    while (!this.isClosed) await this.#change();
  }

  /** STARTTLS and the handshake. */
  async startTls(): Promise<void> {
    const plain = this.socket;
    plain.removeAllListeners('data');
    const socket = tls.connect({ socket: plain, rejectUnauthorized: false });
    this.socket = socket;
    this.#listen(socket);
    await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
    });
  }

  #listen(socket: net.Socket): void {
    const tell = (): void => [...this.#watchers].forEach((watcher) => watcher());
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      this.#text += chunk.toString('utf8');
      tell();
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      this.isClosed = true;
      tell();
    });
  }
}

/** The commands of a mail up to its data. */
export const envelope = (from: string, ...to: readonly string[]): string[] => [
  `MAIL FROM:<${from}>`,
  ...to.map((each) => `RCPT TO:<${each}>`),
];

/** Sends a mail and gives the reply that decided about it. */
export async function send(
  client: RawClient,
  from: string,
  to: string | readonly string[],
  data = 'Subject: test\r\n\r\nHello\r\n',
): Promise<string> {
  for (const command of [...envelope(from, ...(typeof to === 'string' ? [to] : to)), 'DATA']) {
    const reply = await client.say(command);
    if (!/^[23]/.test(reply)) return reply;
  }
  return client.say(`${data}.`);
}
