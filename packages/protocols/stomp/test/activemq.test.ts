import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import { itWithTool, startServer, type RunningServer } from '@backlot/conformance';
import { afterThis, RawClient, startHost } from './support.js';

const NAMES = ['a', 'a.b', 'a.b.c', 'a.x.y.c', 'b', 'b.b', 'a.bb', 'c', 'a.c'];
const PATTERNS = ['a.b', 'a.*', '*.b', '>', 'a.>', 'a.*.>', '*', '*.*.*', 'a.*.c', '*.>'];

/** What log4j needs to say anything. */
const LOGGING = `log4j.rootLogger=INFO,out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.SimpleLayout
`;

/** Starts Debian's ActiveMQ, whose own command wants an instance in /etc, with nothing but STOMP and memory. */
async function startActivemq(): Promise<RunningServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'activemq-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  const logging = path.join(folder, 'log4j.properties');
  writeFileSync(logging, LOGGING);
  const home = ['home', 'base', 'data'].map((name) => `-Dactivemq.${name}=${folder}`);
  const library = '/usr/share/activemq/lib';
  const server = await startServer(
    'java',
    (port) => [
      '-Xmx64m',
      '-XX:TieredStopAtLevel=1',
      `-Dlog4j.configuration=file:${logging}`,
      ...home,
      '-cp',
      `${library}/*:${library}/optional/*`,
      'org.apache.activemq.console.Main',
      'start',
      // Its own messages about what happens need libraries for STOMP that Debian does not install with it.
      `broker:(stomp://127.0.0.1:${port})?persistent=false&useJmx=false&advisorySupport=false`,
    ],
    ') started',
  );
  afterThis(() => server.stop());
  return server;
}

async function connect(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  client.send('CONNECT\naccept-version:1.2\nhost:/\n\n\0');
  await client.next('CONNECTED');
  return client;
}

const send = (client: RawClient, destination: string, body: string): Promise<void> =>
  client.request(`SEND\ndestination:${destination}\n\n${body}\0`);

/** Which messages each pattern brings, over a connection for each of them. */
async function routesOf(port: number): Promise<unknown> {
  const clients = await Promise.all(
    PATTERNS.map(async (pattern) => {
      const client = await connect(port);
      await client.request(`SUBSCRIBE\nid:1\ndestination:/topic/${pattern}\n\n\0`);
      await client.request('SUBSCRIBE\nid:end\ndestination:/topic/the.very.end.of.it\n\n\0');
      return client;
    }),
  );
  const sender = await connect(port);
  for (const name of NAMES) await send(sender, `/topic/${name}`, name);
  await send(sender, '/topic/the.very.end.of.it', 'end');
  const routes: unknown[] = [];
  for (const [index, client] of clients.entries()) {
    await client.until(() => client.frames.some(({ headers: { subscription } }) => subscription === 'end'));
    const got = client.frames.filter(({ body }) => body !== 'end');
    routes.push([PATTERNS[index], got.map(({ headers, body }) => [headers['destination'], body])]);
  }
  return routes;
}

/** What a subscription to many queues brings: what waits there, and what comes to queues that are new. */
async function queuesOf(port: number): Promise<unknown> {
  const client = await connect(port);
  await send(client, '/queue/jobs.a', 'waited');
  await client.request('SUBSCRIBE\nid:1\ndestination:/queue/jobs.>\n\n\0');
  const first = await client.next('MESSAGE');
  await send(client, '/queue/other', 'not for it');
  await send(client, '/queue/jobs.b.c', 'later');
  const second = await client.next('MESSAGE');
  await send(client, '/queue/jobs', 'the parent');
  const third = await client.next('MESSAGE');
  await client.request('UNSUBSCRIBE\nid:1\n\n\0');
  await client.request('SUBSCRIBE\nid:2\ndestination:/queue/*\n\n\0');
  const fourth = await client.next('MESSAGE');
  await client.request('UNSUBSCRIBE\nid:2\n\n\0');
  return [first, second, third, fourth].map(({ headers, body }) => [
    headers['subscription'],
    headers['destination'],
    body,
  ]);
}

/** A question and its answer through a temporary queue that the client has subscribed to. */
async function converse(port: number): Promise<unknown> {
  const [client, server] = [await connect(port), await connect(port)];
  await server.request('SUBSCRIBE\nid:s\ndestination:/queue/ask\n\n\0');
  await client.request('SUBSCRIBE\nid:mine\ndestination:/temp-queue/a\n\n\0');
  await client.request('SEND\ndestination:/queue/ask\nreply-to:/temp-queue/a\n\nquestion\0');
  const asked = await server.next('MESSAGE');
  const replyTo = asked.headers['reply-to'] ?? '';
  await send(server, replyTo, 'answer');
  const answered = await client.next('MESSAGE');
  await send(client, '/temp-queue/a', 'to itself');
  const own = await client.next('MESSAGE');
  // Each server has a name of its own for the queue, by which others reach it.
  return [
    asked.body,
    replyTo === '/temp-queue/a',
    [answered, own].map(({ headers, body }) => [headers['subscription'], body]),
  ];
}

itWithTool(
  'activemq',
  'wildcards of topics and queues, and temporary queues, are those of ActiveMQ',
  async () => {
    const theirs = await startActivemq();
    const ours = await startHost({ wildcards: 'activemq' });
    expect(await routesOf(ours.port)).toEqual(await routesOf(theirs.port));
    expect(await queuesOf(ours.port)).toEqual(await queuesOf(theirs.port));
    expect(await converse(ours.port)).toEqual(await converse(theirs.port));
  },
  120_000,
);
