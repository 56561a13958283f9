import net from 'node:net';
import { abandon, collectCleanups, startKind, watchSocket, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { redis } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export type Running = RunningKind;

/** A host with a running Redis kind; it is stopped after the test. */
export function startHost(settings: Json = {}, mocks: readonly Json[] = []): Promise<Running> {
  return startKind(redis, afterThis, { ...settings, mocks });
}

/** A command in the form of the wire. */
export function encode(...args: readonly string[]): string {
  const bytes = args.map((arg) => Buffer.from(arg, 'utf8').toString('latin1'));
  return `*${args.length}\r\n${bytes.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join('')}`;
}

/** A command line split at spaces; double quotes hold words together, and know `\xHH`. */
export function command(line: string): string {
  const words = line.match(/"[^"]*"|\S+/g) ?? [];
  return encode(
    ...words.map((word) =>
      word
        .replace(/^"|"$/g, '')
        .replace(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    ),
  );
}

/** Where one encoded answer that begins at `at` ends; -1 when it is not all there. */
export function endOfReply(text: string, at: number): number {
  const end = leastEnd(text, at);
  return end > text.length ? -1 : end;
}

/** Where one encoded answer that begins at `at` ends; where it does not end yet when it is not all there. */
function leastEnd(text: string, at: number): number {
  const line = text.indexOf('\r\n', at);
  if (line < 0) return text.length + 1;
  const type = text[at] ?? '';
  const count = Number(text.slice(at + 1, line));
  if ('$='.includes(type)) return count < 0 ? line + 2 : line + 4 + count;
  if (!'*~>%'.includes(type)) return line + 2;
  let end = line + 2;
  for (let left = type === '%' ? 2 * count : count; left > 0 && end <= text.length; left -= 1)
    end = leastEnd(text, end);
  return end;
}

/** A client that speaks the protocol by itself. */
export class RawClient {
  readonly socket: net.Socket;
  received = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk) => {
      this.received += String(chunk);
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    afterThis(() => abandon(this.socket));
  }

  send(bytes: string): void {
    this.socket.write(bytes, 'latin1');
  }

  /** The next whole answer; what was received before the connection was closed when there is none. */
  async reply(): Promise<string> {
    let end = -1;
    // A long answer is not read again with each of its pieces.
    let least = 0;
    await this.until(() => {
      if (end < 0 && this.received.length >= least) {
        least = leastEnd(this.received, 0);
        if (least <= this.received.length) end = least;
      }
      return this.isClosed || end > 0;
    });
    const reply = end > 0 ? this.received.slice(0, end) : `${this.received}<closed>`;
    this.received = end > 0 ? this.received.slice(end) : '';
    return reply;
  }

  /** Sends a command line (see {@link command}) and resolves with the answer. */
  ask(line: string): Promise<string> {
    this.send(command(line));
    return this.reply();
  }

  /** Resolves with all that came when the connection is closed. */
  async untilClosed(): Promise<string> {
    await this.until(() => this.isClosed);
    return this.received;
  }

  until(condition: () => boolean): Promise<void> {
    return watchSocket(this.socket, condition);
  }
}

/** Sends bytes over a connection of its own, and resolves with all that came until it was closed. */
export async function converse(port: number, bytes: string): Promise<string> {
  const client = new RawClient(port);
  client.socket.end(bytes, 'latin1');
  return client.untilClosed();
}
