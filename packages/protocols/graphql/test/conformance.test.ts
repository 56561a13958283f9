import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  describeConformance,
  type ListenAddress,
  type ProbeClient,
  type StreamReader,
} from '@backlot/conformance';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { graphql } from '../src/index.js';

const named = (name: string): { operation_type: string; operation_name: string } => ({
  operation_type: 'query',
  operation_name: name,
});

describeConformance(graphql, {
  mocks: {
    simple: { ...named('simple'), response: { simple: 'one' } },
    changed: { ...named('simple'), response: { simple: 'two' } },
    other: { ...named('other'), response: { other: 'three' } },
    template: { ...named('simple'), response: { simple: '{{upper request.operation_name}}' } },
    bad: [
      { operation_type: 'fetch' },
      { operation_name: 're:(' },
      { ...named('a'), stream: [{ data: '{"data": {}}' }] },
      { operation_type: 'subscription', stream: [{ data: 'no json' }] },
      { operation_type: 'subscription', stream: [], response: { a: 1 } },
      { ...named('a'), errors: [{ text: 'no message' }] },
      { ...named('a'), response: { value: '{{#open}}' } },
    ],
  },
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'NO_MOCK_MATCHED',
    fault: '503',
  },
  logged: { method: 'query', path: 'simple' },
  stream: {
    mock: {
      operation_type: 'subscription',
      operation_name: 'Ticks',
      stream: [{ data: '{"data":{"tick":0}}' }],
    },
    open: openStream,
    data: { data: { tick: 1 } },
    pushed: '{"data":{"tick":1}}',
    ended: 'complete',
    failed: 'error boom',
  },
  contract: {
    name: 'probe.graphql',
    content: 'type Query { simple: Answer } enum Answer { one }',
    refused: 'GRAPHQL_VALIDATION_FAILED',
    sendLong: ({ host, port }) =>
      fetch(`http://${host}:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          query: 'query simple { simple }',
          variables: { list: Array.from({ length: 20_000 }, () => 0) },
        }),
      }),
  },
  connect,
  namesSpaces: true,
  imports: [
    { format: 'graphql', name: 'organizations.graphql', content: sampleFile('organizations.graphql') },
    { format: 'introspection', name: 'githunt.json', content: sampleFile('githunt.json') },
  ],
});

function sampleFile(name: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`samples/${name}`, import.meta.url)));
}

/** One HTTP connection that is kept alive. */
async function connect(address: ListenAddress, space?: string): Promise<ProbeClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        const asked = request(
          {
            ...address,
            path: '/graphql',
            method: 'POST',
            agent,
            headers: {
              'content-type': 'application/json',
              ...(space === undefined ? {} : { baggage: `backlot.space=${space}` }),
            },
          },
          (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('error', reject);
            response.on('data', (part: string) => (text += part));
            response.on('end', () => {
              const { data, errors } = JSON.parse(text) as {
                data?: Readonly<Record<string, string>>;
                errors?: { message: string; extensions?: { code: string } }[];
              };
              resolve(
                data?.[message] ??
                  errors?.[0]?.extensions?.code ??
                  errors?.[0]?.message ??
                  String(response.statusCode),
              );
            });
          },
        );
        asked.on('error', reject);
        asked.end(JSON.stringify({ query: `query ${message} { ${message} }` }));
      }),
    close: () => agent.destroy(),
  };
}

/** Subscribes with the client of graphql-ws. */
async function openStream({ host, port }: ListenAddress): Promise<StreamReader> {
  const sockets: WebSocket[] = [];
  class Watched extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols);
      sockets.push(this);
    }
  }
  const client = createClient({
    url: `ws://${host}:${port}/graphql`,
    webSocketImpl: Watched,
    retryAttempts: 0,
  });
  const received: string[] = [];
  let wake: (() => void) | undefined;
  const add = (text: string): void => {
    received.push(text);
    wake?.();
  };
  client.subscribe(
    { query: 'subscription Ticks { tick }' },
    {
      next: (result) => add(JSON.stringify(result)),
      error: (errors) => add(`error ${(errors as readonly { message: string }[])[0]?.message ?? 'closed'}`),
      complete: () => add('complete'),
    },
  );
  const next = async (): Promise<string> => {
    while (received.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return received.shift() ?? '';
  };
  await next();
  return { next, close: () => sockets.forEach((socket) => socket.terminate()) };
}
