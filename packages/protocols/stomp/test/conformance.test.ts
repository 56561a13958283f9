import { Client, type IMessage } from '@stomp/stompjs';
import {
  asyncapiContract,
  describeConformance,
  type ListenAddress,
  type ProbeClient,
} from '@backlot/conformance';
import { WebSocket } from 'ws';
import { stomp } from '../src/index.js';

/** Where the client hears answers. */
const ANSWERS = '/topic/answers';

const answerTo = (body: string): Record<string, unknown> => ({ body });

/** A mock that names where it answers, so that a contract knows it. */
const answered = (destination: string, body: string): Record<string, unknown> => ({
  destination,
  response: { destination: ANSWERS, body },
});

describeConformance(stomp, {
  mocks: {
    simple: { destination: '/queue/simple', response: answerTo('one') },
    changed: { destination: '/queue/simple', response: answerTo('two') },
    other: { destination: '/queue/other*', body: 'other', response: answerTo('three') },
    template: { destination: '/queue/simple', response: answerTo('{{upper request.destination}} {{body}}') },
    bad: [
      { destination: 5 },
      { destination: 're:(' },
      { body: {} },
      { response: { body: '{{#open}}' } },
      { response: { body: 'a', headers: { 'message-id': '1' } } },
      { response: { body: 'a', headers: { 'content-type': 'text/plain' } } },
      { response: { body: 'a', headers: { nul: 'a\0b' } } },
      { response: { body: 'a', headers: { '': 'a' } } },
      { response: { body: 'a', destination: 'a\0' } },
      { response: 'text' },
      { destination: '/queue/a', no_such: 1 },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: '/QUEUE/SIMPLE simple',
    unmatched: 'only a receipt',
    fault: 'ERROR fault injected',
  },
  logged: { method: 'SEND', path: '/queue/simple' },
  captured: '/queue/simple',
  login: { attempt, refused: 'login refused', custom: { fault: { message: 'later' }, refused: 'later' } },
  contract: {
    ...asyncapiContract({ '/queue/simple': { clients: ['simple'] }, [ANSWERS]: { mocks: ['one'] } }),
    mocks: {
      simple: answered('/queue/simple', 'one'),
      changed: answered('/queue/simple', 'two'),
      other: answered('/queue/other', 'three'),
    },
    refused: 'ERROR the contract does not allow the message',
    async sendLong(address) {
      const client = await connect(address, undefined, 'x'.repeat(300_000));
      await client.send('simple');
      await client.close();
    },
  },
  connect: (address, space) => connect(address, space),
  namesSpaces: true,
});

async function attempt({ host, port }: ListenAddress): Promise<string> {
  const client = new Client({
    webSocketFactory: () => new WebSocket(`ws://${host}:${port}/`, ['v12.stomp']),
    connectHeaders: { login: 'ann', passcode: 'secret' },
    reconnectDelay: 0,
  });
  try {
    return await new Promise<string>((resolve) => {
      client.onConnect = () => resolve('accepted');
      client.onStompError = ({ headers }) => resolve(String(headers['message']));
      client.onWebSocketClose = () => resolve('closed');
      client.activate();
    });
  } finally {
    client.forceDisconnect();
  }
}

/**
 * stompjs over WebSocket, in its default settings.
 *
 * @param body - of each message; its name when absent
 */
async function connect({ host, port }: ListenAddress, space?: string, body?: string): Promise<ProbeClient> {
  let settle: ((answer: string) => void) | undefined;
  const client = new Client({
    webSocketFactory: () => new WebSocket(`ws://${host}:${port}/`, ['v12.stomp', 'v11.stomp', 'v10.stomp']),
    ...(space === undefined ? {} : { connectHeaders: { host: space } }),
    reconnectDelay: 0,
  });
  await new Promise<void>((resolve, reject) => {
    client.onConnect = () => resolve();
    client.onWebSocketClose = () => {
      settle?.('closed');
      reject(new Error('closed'));
    };
    client.activate();
  });
  client.onStompError = ({ headers }) => settle?.(`ERROR ${headers['message']}`);
  let answer: string | undefined;
  client.subscribe(ANSWERS, (got: IMessage) => (answer = got.body));
  let sent = 0;
  return {
    send: (message) =>
      new Promise((resolve) => {
        settle = resolve;
        answer = undefined;
        sent += 1;
        client.watchForReceipt(`sent-${sent}`, () => resolve(answer ?? 'only a receipt'));
        const headers = { receipt: `sent-${sent}`, 'reply-to': ANSWERS };
        client.publish({ destination: `/queue/${message}`, body: body ?? message, headers });
      }),
    close: () => client.forceDisconnect(),
  };
}
