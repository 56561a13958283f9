import net from 'node:net';
import { collectCleanups, eventually, startKind, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import mqttClient, { type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt';
import { mqtt } from '../src/index.js';

/** Does something after the test; the last first. */
export const afterThis = collectCleanups();

export type Running = RunningKind;

/** A host with a running broker; it is stopped after the test. */
export function startHost(settings: Json = {}): Promise<Running> {
  return startKind(mqtt, afterThis, settings);
}

/** One message as a client saw it. */
export interface Received {
  readonly topic: string;
  readonly payload: string;
  readonly packet: IPublishPacket;
}

/** mqtt.js, connected, with what it has received. */
export class Client {
  readonly mqtt: MqttClient;
  readonly received: Received[] = [];
  /** The reason code of the DISCONNECT that the server sent. */
  disconnected: number | undefined;

  constructor(client: MqttClient) {
    this.mqtt = client;
    client.on('message', (topic, payload, packet) =>
      this.received.push({ topic, payload: payload.toString('utf8'), packet }),
    );
    client.on('disconnect', ({ reasonCode }) => {
      this.disconnected = reasonCode;
    });
    client.on('error', () => undefined);
    afterThis(() => client.endAsync(true));
  }

  get texts(): readonly string[] {
    return this.received.map(({ topic, payload }) => `${topic} ${payload}`);
  }

  /** Resolves once so many messages came. */
  async receives(count: number): Promise<readonly string[]> {
    await eventually(() => this.received.length >= count);
    return this.texts;
  }
}

/** Connects with default settings, but for what is given; a connection that ends stays so. */
export async function connect(
  port: number,
  options: IClientOptions = {},
  protocol: 'mqtt' | 'ws' | 'mqtts' = 'mqtt',
): Promise<Client> {
  const url = `${protocol}://127.0.0.1:${port}`;
  const client = new Client(mqttClient.connect(url, { reconnectPeriod: 0, ...options }));
  await new Promise<void>((resolve, reject) => {
    client.mqtt.once('connect', () => resolve());
    client.mqtt.once('error', reject);
    client.mqtt.once('close', () => reject(new Error('the connection was closed')));
  });
  return client;
}

/** A bare socket that keeps what it was sent. */
export class RawClient {
  readonly socket: net.Socket;
  bytes = Buffer.alloc(0);
  isClosed = false;

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.bytes = Buffer.concat([this.bytes, chunk]);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
    afterThis(() => socket.destroy());
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawClient(socket);
  }

  send(...parts: (Buffer | string)[]): void {
    this.socket.write(
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part))),
    );
  }

  /** Resolves with all that came, once it is at least so many bytes, as hex. */
  async receives(count: number): Promise<string> {
    await eventually(() => this.bytes.length >= count || this.isClosed);
    return this.bytes.toString('hex');
  }

  /** Resolves with all that came, once the server has closed. */
  async closes(): Promise<string> {
    await eventually(() => this.isClosed);
    return this.bytes.toString('hex');
  }
}

/** A CONNECT of 3.1.1 with client id `a`, clean. */
export const CONNECT_4 = '100d00044d51545404020000000161';
/** A CONNECT of MQTT 5 with client id `a`, clean start. */
export const CONNECT_5 = '100e00044d5154540502000000000161';

/** Whether a real client still gets an answer. */
export async function checkWell({ host, port }: Running): Promise<void> {
  if (
    !host
      .kind('mqtt')
      .mocks.list()
      .some(({ id }) => id === 'well')
  ) {
    host.kind('mqtt').mocks.create({ id: 'well', topic: 'well', response: { payload: 'yes' } });
  }
  const client = await connect(port);
  await client.mqtt.subscribeAsync('well/response');
  client.mqtt.publish('well', 'are you?');
  await client.receives(1);
  await client.mqtt.endAsync();
}
