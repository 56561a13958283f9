import { Client, type IMessage } from '@stomp/stompjs';
import { describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { WebSocket } from 'ws';
import { stomp } from '../src/index.js';

const answerTo = (body: string): Record<string, unknown> => ({ body });

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
  connect,
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

/** stompjs over WebSocket, in its default settings. */
async function connect({ host, port }: ListenAddress, space?: string): Promise<ProbeClient> {
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
  client.subscribe('/topic/answers', ({ body }: IMessage) => (answer = body));
  let sent = 0;
  return {
    send: (message) =>
      new Promise((resolve) => {
        settle = resolve;
        answer = undefined;
        sent += 1;
        client.watchForReceipt(`sent-${sent}`, () => resolve(answer ?? 'only a receipt'));
        const headers = { receipt: `sent-${sent}`, 'reply-to': '/topic/answers' };
        client.publish({ destination: `/queue/${message}`, body: message, headers });
      }),
    close: () => client.forceDisconnect(),
  };
}
