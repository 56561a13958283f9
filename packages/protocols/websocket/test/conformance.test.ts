import { once } from 'node:events';
import {
  asyncapiContract,
  describeConformance,
  type ListenAddress,
  type ProbeClient,
  type ProbeMessage,
  type StreamReader,
} from '@backlot/conformance';
import { WebSocket } from 'ws';
import { websocket } from '../src/index.js';

describeConformance(websocket, {
  mocks: {
    simple: { path: '/chat', on_message: [{ match: 'simple', respond: 'one' }] },
    changed: { path: '/chat', on_message: [{ match: 'simple', respond: 'two' }] },
    other: { path: '/chat', on_message: [{ match: 'other', respond: 'three' }] },
    template: { path: '/{room}', on_message: [{ match: 's*', respond: '{{upper request.params.room}}' }] },
    bad: [
      {},
      { path: '' },
      { path: '/a?b=c' },
      { path: '/{a}/{a}' },
      { path: '/a', subprotocol: 'two words' },
      { path: '/a', on_connect: { send: '{{#open}}' } },
      { path: '/a', on_connect: { send_binary: 'AA' } },
      { path: '/a', on_connect: { send: 'a', delay: 'soon' } },
      { path: '/a', on_message: [{ match: 're:(' }] },
      { path: '/a', on_message: [{ match_binary: '*' }] },
      { path: '/a', on_message: [{ respond_binary: 'A===' }] },
      { path: '/a', on_message: [{ respond: 'a', delay: '-1s' }] },
      { path: '/a', on_message: [{ close: { code: 1005 } }] },
      { path: '/a', on_message: [{ close: { code: 999 } }] },
      { path: '/a', on_message: [{ close: { reason: 'r'.repeat(124) } }] },
      { path: '/a', on_message: [{ close: 'yes' }] },
      { path: '/a', on_message: [{ respond: { a: 1 } }] },
      { path: '/a', on_message: [{ respond: [{ delay: '1s' }] }] },
      { path: '/a', on_message: [{ respond: [{ body: 'a', json: 1 }] }] },
      { path: '/a', on_message: [{ respond: [{ body: 'a', delay: 'soon' }] }] },
      { path: '/a', on_connect: { send: [{ body_base64: '*' }] } },
      { path: '/a', on_connect: { send: ['a'], json: 1 } },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'CHAT',
    unmatched: 'nothing',
    fault: 'closed',
  },
  logged: { method: 'MESSAGE', path: '/chat' },
  stream: {
    mock: { path: '/feed' },
    open: openStream,
    data: { json: { text: 'more' } },
    pushed: '{"text":"more"}',
    ended: 'closed 1000',
    failed: 'closed 1011 boom',
  },
  contract: {
    ...asyncapiContract({ '/chat': { clients: ['simple'], mocks: ['one'] } }),
    refused: 'closed',
    async sendLong({ host, port }) {
      const socket = new WebSocket(`ws://${host}:${port}/chat`);
      await once(socket, 'open');
      socket.send('x'.repeat(300_000));
      socket.close();
      await once(socket, 'close');
    },
  },
  connect: (address, space) => Promise.resolve(new Probe(address, space)),
  namesSpaces: true,
});

/**
 * Connects with the first message, since without a mock nobody gets in. A message that is not answered, or not even let
 * in, is answered with `nothing`.
 */
class Probe implements ProbeClient {
  readonly #address: ListenAddress;
  readonly #space: string | undefined;
  #socket: WebSocket | undefined;

  constructor(address: ListenAddress, space?: string) {
    this.#address = address;
    this.#space = space;
  }

  async send(message: ProbeMessage): Promise<string> {
    const isFirst = this.#socket === undefined;
    const socket = (this.#socket ??= await this.#connect());
    if (socket === undefined) return 'nothing';
    return new Promise((resolve) => {
      const settle = (answer: string): void => {
        socket.off('message', onMessage).off('close', onClose).off('pong', onPong);
        resolve(answer);
      };
      const onMessage = (data: Buffer): void => settle(data.toString());
      const onClose = (): void => settle('closed');
      const onPong = (): void => settle('nothing');
      socket.on('message', onMessage).on('close', onClose).on('pong', onPong);
      if (socket.readyState !== WebSocket.OPEN) {
        onClose();
        return;
      }
      socket.send(message);
      // A pong overtakes an answer that is delayed, but the suite delays only what is sent first.
      if (!isFirst || message === 'unmatched') socket.ping();
    });
  }

  close(): void {
    this.#socket?.terminate();
  }

  async #connect(): Promise<WebSocket | undefined> {
    const headers = this.#space === undefined ? {} : { 'Backlot-Space': this.#space };
    const socket = new WebSocket(`ws://${this.#address.host}:${this.#address.port}/chat`, { headers });
    this.#socket = socket;
    try {
      await once(socket, 'open');
      return socket;
    } catch (thrown) {
      this.#socket = undefined;
      if ((thrown as Error).message === 'Unexpected server response: 404') return undefined;
      if ((thrown as NodeJS.ErrnoException).code === 'ECONNRESET') return socket;
      throw thrown;
    }
  }
}

async function openStream({ host, port }: ListenAddress): Promise<StreamReader> {
  const socket = new WebSocket(`ws://${host}:${port}/feed`);
  const arrived: string[] = [];
  const takers: ((text: string) => void)[] = [];
  const take = (text: string): void => {
    const taker = takers.shift();
    if (taker === undefined) arrived.push(text);
    else taker(text);
  };
  socket.on('message', (data: Buffer) => take(data.toString()));
  socket.on('close', (code, reason) => take(`closed ${code} ${reason.toString()}`.trim()));
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return {
    next: () => {
      const text = arrived.shift();
      return text === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(text);
    },
    close: () => socket.terminate(),
  };
}
