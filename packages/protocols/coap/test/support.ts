import dgram from 'node:dgram';
import { collectCleanups, startKind, type RunningKind } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { Agent, request, type CoapRequestParams, type IncomingMessage } from 'coap';
import { generate, parse, type Packet, type ParsedPacket } from 'coap-packet';
import { coap } from '../src/index.js';

const afterThis = collectCleanups();

/** A running host and its port. */
export type Running = RunningKind;

/** A host with a running CoAP kind; it is stopped after the test. */
export function startHost(mocks: readonly Json[] = []): Promise<Running> {
  return startKind(coap, afterThis, { mocks });
}

/** What came back to a client. */
export interface Answer {
  readonly code: string;
  readonly payload: Buffer;
  readonly headers: IncomingMessage['headers'];
}

/** The npm client `coap`, as it is out of the box. */
export class NodeClient {
  readonly agent = new Agent();
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
    afterThis(() => this.agent.close());
  }

  ask(params: CoapRequestParams, payload?: Buffer | string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ hostname: '127.0.0.1', port: this.#port, agent: this.agent, ...params });
      outgoing.on('error', reject);
      outgoing.on('timeout', reject);
      outgoing.on('response', (answer) =>
        resolve({ code: answer.code, payload: answer.payload, headers: answer.headers }),
      );
      outgoing.end(payload);
    });
  }

  /** Begins to observe a path. */
  observe(params: CoapRequestParams): Promise<{ readonly told: string[]; readonly stop: () => void }> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        hostname: '127.0.0.1',
        port: this.#port,
        agent: this.agent,
        observe: true,
        ...params,
      });
      outgoing.on('error', reject);
      outgoing.on('response', (stream) => {
        const told: string[] = [];
        stream.on('data', (payload: Buffer) => told.push(`${stream.code} ${payload.toString()}`));
        const stop = (): void => stream.close(true);
        resolve({ told, stop });
      });
      outgoing.end();
    });
  }
}

/** A client that says what it is told to, datagram by datagram. */
export class RawClient {
  readonly socket = dgram.createSocket('udp4');
  readonly #port: number;
  readonly #answers: Buffer[] = [];
  readonly #waiting: ((answer: Buffer) => void)[] = [];
  #messageId = 100;

  constructor(port: number) {
    this.#port = port;
    this.socket.on('message', (answer) => {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#answers.push(answer);
      else waiting(answer);
    });
    afterThis(() => new Promise<void>((resolve) => this.socket.close(resolve)));
  }

  /** How many answers came that nobody has received. */
  get spare(): number {
    return this.#answers.length;
  }

  send(octets: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) =>
      this.socket.send(octets, this.#port, '127.0.0.1', (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
  }

  sendPacket(packet: Packet): Promise<void> {
    return this.send(encode(packet));
  }

  /** The next datagram. */
  async receive(): Promise<ParsedPacket> {
    const answer = this.#answers.shift();
    return parse(answer ?? (await new Promise<Buffer>((resolve) => this.#waiting.push(resolve))));
  }

  async ask(packet: Packet): Promise<ParsedPacket> {
    await this.sendPacket(packet);
    return this.receive();
  }

  async askRaw(octets: Uint8Array): Promise<ParsedPacket> {
    await this.send(octets);
    return this.receive();
  }

  /** A confirmable request with a message id and a token of its own. */
  make(path: string, more: Packet = {}): Packet {
    this.#messageId += 1;
    const { options, ...rest } = more;
    return {
      code: 'GET',
      confirmable: true,
      messageId: this.#messageId,
      token: Buffer.from(`t${this.#messageId}`),
      ...rest,
      options: [...pathOptions(path), ...(options ?? [])],
    };
  }

  /** Resolves once everything that was sent so far was dealt with: a ping is answered after it. */
  async settle(): Promise<void> {
    this.#messageId += 1;
    const messageId = this.#messageId;
    await this.send(Buffer.of(0x40, 0, messageId >> 8, messageId & 0xff));
    const others: Buffer[] = [];
    for (;;) {
      const octets =
        this.#answers.shift() ?? (await new Promise<Buffer>((resolve) => this.#waiting.push(resolve)));
      if ((octets[0] ?? 0) === 0x70 && octets.readUInt16BE(2) === messageId) break;
      others.push(octets);
    }
    this.#answers.unshift(...others);
  }
}

/** The octets of a packet as coap-packet writes them. */
export function encode(packet: Packet): Buffer {
  return generate(packet, 65_000);
}

/** The value of an option of a packet. */
export function optionOf(packet: ParsedPacket, name: string): Buffer | undefined {
  const value = packet.options.find((option) => option.name === name)?.value;
  return Buffer.isBuffer(value) ? value : undefined;
}

/** A block option. */
export function block(name: 'Block1' | 'Block2', number: number, hasMore: boolean, exponent: number) {
  const value = (number << 4) | (hasMore ? 8 : 0) | exponent;
  const octets = Buffer.alloc(3);
  octets.writeUIntBE(value, 0, 3);
  return { name, value: octets.subarray(value > 0xffff ? 0 : value > 0xff ? 1 : 2) } as const;
}

function pathOptions(path: string): { readonly name: 'Uri-Path'; readonly value: Buffer }[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => ({ name: 'Uri-Path' as const, value: Buffer.from(segment) }));
}
