// What a small message and a request cost, beside nats-server where it is installed: messages that nobody subscribes to, and
// requests that a client or a mock answers.
import { once } from 'node:events';
import { createHost } from '@backlot/core';
import { nats } from '@backlot/nats';
import { compareServers, countBySize, inTime, median, startMocks } from '@backlot/tooling/bench';
import { flush, join, startReference } from './lib/client.mjs';

/** How many requests one client has under way. */
const WINDOWS = [1, 16, 256];
/** Messages that are written together. */
const BATCH = 1000;
const SMALL_MESSAGES = Buffer.from('PUB orders.new 16\r\n0123456789abcdef\r\n'.repeat(BATCH));

const mocks = [{ subject: 'mocked.*', response: { payload: 'pong' } }];
const labelOf = (window, who) => `${window} under way, ${who}`;
const requests = (window, who, subject) => ({
  label: labelOf(window, who),
  of: labelOf(window, 'nats-server'),
  load: (port, milliseconds) => request(port, subject, window, milliseconds),
});

await compareServers(import.meta.url, {
  name: 'nats',
  unit: 'message',
  servers: { ours: () => startMocks(createHost, nats, mocks) },
  cases: [
    { label: 'publish', server: 'ours', of: 'nats-server, publish', load: publish },
    ...WINDOWS.flatMap((window) => [
      { ...requests(window, 'a client answers', 'client.a'), server: 'ours' },
      { ...requests(window, 'a mock answers', 'mocked.a'), server: 'ours' },
    ]),
  ],
  others: async () => {
    const reference = await startReference();
    if (reference === undefined) return [];
    return [
      { label: 'nats-server, publish', of: 'nats-server, publish', ...reference, load: publish },
      ...WINDOWS.map((window) => ({ ...requests(window, 'nats-server', 'client.a'), ...reference })),
    ];
  },
  load: (one, milliseconds) => one.load(one.port, milliseconds),
  ratios: WINDOWS.flatMap((window) =>
    ['a client answers', 'a mock answers'].map((who) => ({
      what: labelOf(window, who),
      of: labelOf(window, 'nats-server'),
      least: 0.6,
      goal: 0.9,
    })),
  ),
  report: (of) => {
    const published = of('publish');
    if (published === undefined) return;
    const perSecond = Math.round(1_000_000 / median(published.costs)).toLocaleString('en');
    console.log(`published for each second of processor time: ${perSecond} (at least 500,000)`);
  },
});

/** Publishes what nobody gets, and waits until the server has read it all. */
async function publish(port, milliseconds) {
  const socket = await join(port);
  const end = performance.now() + milliseconds;
  let sent = 0;
  for (; performance.now() < end; sent += BATCH)
    if (!socket.write(SMALL_MESSAGES)) await once(socket, 'drain');
  await flush(socket);
  socket.destroy();
  return sent;
}

/** Keeps requests under way, answered by another client where no mock does. */
async function request(port, subject, window, milliseconds) {
  const many = (line, count) => Buffer.from(line.repeat(count));
  const responder = await join(port, 'SUB client.* 1\r\n');
  const asked = countBySize(`MSG ${subject} 1 inbox.a 4\r\nping\r\n`.length);
  responder.on('data', (chunk) => {
    responder.write(many('PUB inbox.a 4\r\npong\r\n', asked(chunk)));
  });
  const requester = await join(port, 'SUB inbox.a 1\r\n');
  const count = countBySize('MSG inbox.a 1 4\r\npong\r\n'.length);
  const end = performance.now() + milliseconds;
  let answered = 0;
  await inTime(milliseconds, (resolve) => {
    const ask = (times) => requester.write(many(`PUB ${subject} inbox.a 4\r\nping\r\n`, times));
    requester.on('data', (chunk) => {
      const came = count(chunk);
      answered += came;
      if (performance.now() >= end) resolve();
      else if (came > 0) ask(came);
    });
    ask(window);
  });
  requester.destroy();
  responder.destroy();
  return answered;
}
