import type net from 'node:net';
import { collectCleanups, RawConnection, startKind, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import amqplib, { type Channel, type ChannelModel, type ConfirmChannel, type GetMessage } from 'amqplib';
import { amqp } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

/** A running host with the one kind. */
export interface Running extends RunningKind {
  readonly url: string;
}

/** A host with a running broker; it is stopped after the test. */
export async function startHost(settings: Json = {}): Promise<Running> {
  const running = await startKind(amqp, afterThis, settings);
  return { ...running, url: `amqp://127.0.0.1:${running.port}` };
}

/** An amqplib connection in its default settings; it is closed after the test. */
export async function connect(url: string, options?: object): Promise<ChannelModel> {
  const client = await amqplib.connect(url, options);
  client.on('error', () => undefined);
  afterThis(() => (streamOf(client).destroyed ? undefined : client.close().catch(() => undefined)));
  return client;
}

/** The connection of a client is lost, without a goodbye. */
export function breakOff(client: ChannelModel): void {
  // With an error, which tells amqplib to stop its own timers.
  streamOf(client).destroy(new Error('lost'));
}

function streamOf(client: ChannelModel): net.Socket {
  return (client.connection as unknown as { stream: net.Socket }).stream;
}

/** A channel over a connection of its own. */
export async function openChannel(url: string): Promise<Channel> {
  return quiet(await (await connect(url)).createChannel());
}

/** A channel with confirms over a connection of its own. */
export async function openConfirmChannel(url: string): Promise<ConfirmChannel> {
  return quiet(await (await connect(url)).createConfirmChannel());
}

/** Without this an error of the channel is one of the process. */
export function quiet<C extends Channel>(channel: C): C {
  return channel.on('error', () => undefined);
}

/** The error with which the server closes a channel. */
export function channelError(channel: Channel): Promise<Error & { code?: number }> {
  return new Promise((resolve) => channel.once('error', resolve));
}

/** Consumes into a list. */
export async function collect(
  channel: Channel,
  queue: string,
  options: object = { noAck: true },
): Promise<GetMessage[]> {
  const messages: GetMessage[] = [];
  await channel.consume(
    queue,
    (message) => {
      if (message !== null) messages.push(message as unknown as GetMessage);
    },
    options,
  );
  return messages;
}

/** The bodies of messages as text. */
export function bodiesOf(messages: readonly { content: Buffer }[]): string[] {
  return messages.map(({ content }) => content.toString());
}

/** A connection that speaks bytes. */
export class RawClient extends RawConnection {
  static async connect(port: number): Promise<RawClient> {
    return new RawClient(await RawConnection.openSocket({ port }), afterThis);
  }

  /** The methods that were received, as `class.method` numbers. */
  get methods(): string[] {
    return framesOf(this.received)
      .filter(({ type }) => type === 1)
      .map(({ payload }) => `${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`);
  }

  /** Resolves once the server has closed connection or channel, with its code and text. */
  async refusal(): Promise<string> {
    const find = (): Buffer | undefined =>
      framesOf(this.received).find(
        ({ type, payload }) => type === 1 && [0x000a0032, 0x00140028].includes(payload.readUInt32BE(0)),
      )?.payload;
    await this.until(() => find() !== undefined);
    const close = find();
    if (close === undefined) return 'closed';
    const scope = close.readUInt16BE(0) === 10 ? 'connection' : 'channel';
    return `${scope} ${close.readUInt16BE(4)} ${close.toString('utf8', 7, 7 + (close[6] ?? 0))}`;
  }
}

/** Frames as they stand in a stream. */
export function framesOf(bytes: Buffer): { type: number; channel: number; payload: Buffer; whole: Buffer }[] {
  const frames = [];
  let at = bytes.toString('latin1', 0, 4) === 'AMQP' ? 8 : 0;
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(at + 3);
    if (at + 8 + size > bytes.length) break;
    frames.push({
      type: bytes[at] ?? 0,
      channel: bytes.readUInt16BE(at + 1),
      payload: bytes.subarray(at + 7, at + 7 + size),
      whole: bytes.subarray(at, at + 8 + size),
    });
    at += 8 + size;
  }
  return frames;
}

/** A frame. */
export function frame(type: number, channel: number, payload: Buffer): Buffer {
  const start = Buffer.alloc(7);
  start[0] = type;
  start.writeUInt16BE(channel, 1);
  start.writeUInt32BE(payload.length, 3);
  return Buffer.concat([start, payload, Buffer.from([0xce])]);
}

/** A method's frame; arguments as hexadecimal. */
export function method(channel: number, classId: number, methodId: number, args = ''): Buffer {
  const numbers = Buffer.alloc(4);
  numbers.writeUInt16BE(classId);
  numbers.writeUInt16BE(methodId, 2);
  return frame(1, channel, Buffer.concat([numbers, Buffer.from(args, 'hex')]));
}

/** A short string as hexadecimal. */
export function shortString(text: string): string {
  return Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]).toString('hex');
}

const HEADER = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1');

/** What a client sends until its first channel is open. */
export const OPENING = Buffer.concat([
  HEADER,
  method(0, 10, 11, `00000000${shortString('PLAIN')}0000000400610062${shortString('en_US')}`),
  method(0, 10, 31, '07ff00020000003c'),
  method(0, 10, 40, `${shortString('/')}0000`),
  method(1, 20, 10, '00'),
]);

export { HEADER };
