import {
  collectCleanups,
  RawConnection,
  startKind,
  type RunningKind,
  type StartKindOptions,
} from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { smtp } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

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
export class RawClient extends RawConnection {
  /** Connects and reads the greeting; a connection that is refused shows as closed. */
  static async open(port: number, options: { tls?: boolean; greeting?: boolean } = {}): Promise<RawClient> {
    const client = new RawClient(await RawConnection.openSocket({ port, ...options }), afterThis);
    if (options.greeting !== false) await client.reply();
    return client;
  }

  /** Opens a session: greeting and EHLO. */
  static async greet(port: number): Promise<RawClient> {
    const client = await RawClient.open(port);
    await client.say('EHLO client.example');
    return client;
  }

  /** Writes a command and reads its reply. */
  say(command: string): Promise<string> {
    this.send(`${command}\r\n`);
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
    const find = (): string | undefined =>
      /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(this.received.toString('latin1'))?.[0];
    await this.until(() => find() !== undefined);
    const found = find();
    if (found === undefined) return 'closed';
    return this.take(found.length).toString('utf8').replaceAll('\r', '').trimEnd();
  }

  /** All replies until the server ends. */
  async replies(): Promise<string[]> {
    const replies: string[] = [];
    for (let reply = await this.reply(); reply !== 'closed'; reply = await this.reply()) replies.push(reply);
    return replies;
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
