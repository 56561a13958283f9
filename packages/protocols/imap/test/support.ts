import type { Socket } from 'node:net';
import { collectCleanups, RawConnection, startKind, type RunningKind } from '@backlot/conformance';
import type { Json, Protocol } from '@backlot/core';
import { ImapFlow, type ImapFlowOptions } from 'imapflow';
import { imap } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export type Running = RunningKind;

/** A host with a running IMAP kind; it is stopped after the test. */
export function startHost(
  settings: Json = {},
  others: { readonly protocols?: readonly Protocol[] } = {},
): Promise<Running> {
  return startKind(imap, afterThis, settings, others);
}

/** An untagged response, as imapflow's handlers get it. */
export interface Untagged {
  readonly attributes: readonly (readonly { readonly value: string }[])[];
}

/** imapflow with what its types leave out. */
export interface Flow extends ImapFlow {
  readonly socket: Socket;
  exec(
    command: string,
    attributes: readonly unknown[],
    options: { readonly untagged: Readonly<Record<string, (response: Untagged) => Promise<void>>> },
  ): Promise<{ next(): void }>;
}

/** imapflow, logged in; it is closed after the test. */
export async function openFlow(
  port: number,
  { keep = false, ...options }: Partial<ImapFlowOptions> & { readonly keep?: boolean } = {},
): Promise<Flow> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: false,
    doSTARTTLS: false,
    logger: false,
    auth: { user: 'ann', pass: 'secret' },
    ...options,
  });
  client.on('error', () => undefined);
  await client.connect();
  if (!keep) afterThis(() => client.close());
  return client as Flow;
}

/** A client that writes lines as they are; a character is a byte. */
export class RawClient extends RawConnection {
  #tags = 0;

  /** Connects and reads the greeting. */
  static async open(port: number): Promise<RawClient> {
    const client = new RawClient(await RawConnection.openSocket({ port }), afterThis);
    await client.receive(/\r\n/);
    return client;
  }

  /** Connects, logs in and, if asked to, selects a mailbox. */
  static async login(port: number, mailbox?: string): Promise<RawClient> {
    const client = await RawClient.open(port);
    await client.ask('LOGIN ann secret');
    if (mailbox !== undefined) await client.ask(`SELECT ${mailbox}`);
    return client;
  }

  /** Waits until what was received since the last wait fits, and gives all of that. */
  async receive(pattern: RegExp): Promise<string> {
    const fits = (): boolean => pattern.test(this.received.toString('latin1'));
    await this.until(fits);
    if (!fits()) throw new Error(`closed; received ${JSON.stringify(this.received.toString('latin1'))}`);
    return this.take().toString('latin1');
  }

  /** Waits until the server has closed, and gives what it had said; a reset is an end like any other. */
  async closed(): Promise<string> {
    await this.closes();
    return this.received.toString('latin1');
  }

  write(text: string): void {
    this.send(Buffer.from(text, 'latin1'));
  }

  /** Sends a command under a tag of its own; gives the whole answer with the tag taken off its last line. */
  async ask(command: string): Promise<string> {
    this.#tags += 1;
    const tag = `t${this.#tags}`;
    this.write(`${tag} ${command}\r\n`);
    const answer = await this.receive(new RegExp(`^${tag} .*\\r\\n`, 'm'));
    return answer.replace(new RegExp(`^${tag} `, 'm'), '');
  }
}
