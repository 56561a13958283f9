import { Agent, get, type IncomingMessage } from 'node:http';
import {
  describeConformance,
  type ListenAddress,
  type ProbeClient,
  type StreamReader,
} from '@backlot/conformance';
import { http } from '../src/index.js';

const request = (path: string): { request: object } => ({ request: { method: 'GET', path } });

const text = (schema: object): object => ({ content: { 'text/plain': { schema } } });

/** Allows what the mock `simple` answers, and a body for which it is too long. */
const CONTRACT = {
  openapi: '3.0.3',
  info: { title: 'Probe', version: '1' },
  paths: {
    '/simple': {
      get: { responses: { 200: text({ type: 'string', enum: ['one'] }) } },
      post: { requestBody: text({ type: 'string', maxLength: 10 }), responses: { default: {} } },
    },
  },
};

describeConformance(http, {
  mocks: {
    simple: { ...request('/simple'), response: { body: 'one' } },
    changed: { ...request('/simple'), response: { body: 'two' } },
    other: { ...request('/other'), response: { body: 'three' } },
    template: { ...request('/simple'), response: { body: '{{upper request.path}}' } },
    bad: [
      { response: { body: 'no request' } },
      { ...request('/a'), response: { status: 99 } },
      { ...request('/a'), response: { headers: { 'X-A': 'a\r\nb' } } },
      { ...request('/a'), response: { body: { file: '/etc/hostname' } } },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: '/SIMPLE',
    unmatched: '404',
    fault: '503',
  },
  logged: { method: 'GET', path: '/simple' },
  contract: {
    name: 'probe.json',
    content: JSON.stringify(CONTRACT),
    refused: '404',
    sendLong: ({ host, port }) =>
      fetch(`http://${host}:${port}/simple`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: 'x'.repeat(300_000),
      }),
  },
  stream: {
    mock: {
      ...request('/stream'),
      response: {
        headers: { 'Content-Type': 'text/event-stream' },
        stream: { events: [{ data: 'opened' }], keep_open: true },
      },
    },
    open: openStream,
    data: 'more',
    pushed: 'data: more',
    ended: 'end',
    failed: 'event: error\ndata: boom',
  },
  connect,
  namesSpaces: true,
});

function fetchFrom(
  address: ListenAddress,
  path: string,
  agent: Agent,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ ...address, path, agent, headers }, (response) => resolve(response.setEncoding('utf8'))).on(
      'error',
      reject,
    );
  });
}

/** One connection that is kept alive. */
async function connect(address: ListenAddress, space?: string): Promise<ProbeClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers: Record<string, string> = space === undefined ? {} : { 'Backlot-Space': space };
  return {
    async send(message) {
      const response = await fetchFrom(address, `/${message}`, agent, headers);
      let body = '';
      for await (const text of response) body += String(text);
      return response.statusCode === 200 ? body : String(response.statusCode);
    },
    close: () => agent.destroy(),
  };
}

/** Reads the blocks of an event stream. */
async function openStream(address: ListenAddress): Promise<StreamReader> {
  const agent = new Agent();
  const chunks = (await fetchFrom(address, '/stream', agent))[Symbol.asyncIterator]();
  let text = '';
  const next = async (): Promise<string> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        return block;
      }
      const chunk = (await chunks.next()) as IteratorResult<string>;
      if (chunk.done === true) return text === '' ? 'end' : text;
      text += chunk.value;
    }
  };
  await next();
  return { next, close: () => agent.destroy() };
}
