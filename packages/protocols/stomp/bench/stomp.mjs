// What a message costs from SEND to MESSAGE: a bare fan-out of node:net that parses frames, against this plugin as a
// broker without mocks, and with 1 and with 10,000 mocks that answer; and from SEND to RECEIPT against RabbitMQ, where it
// is installed.
import { once } from 'node:events';
import { createHost } from '@backlot/core';
import { stomp } from '@backlot/stomp';
import { compareServers, countByMark, listen, loadStreams, serveMocks } from '@backlot/tooling/bench';
import { startRabbit } from '@backlot/tooling/rabbitmq';

const MANY = 10_000;
const ANSWERS = '/topic/answers';
const BODY = JSON.stringify({ id: 1, text: 'hello' });
const OPENING =
  'CONNECT\naccept-version:1.2\nhost:/\nlogin:guest\npasscode:guest\n\n\0' +
  `SUBSCRIBE\nid:1\ndestination:${ANSWERS}\n\n\0`;

const topicOf = (n) => `/topic/n${n}`;
const response = { destination: ANSWERS, body: BODY };
const serve = serveMocks(createHost, stomp, (n) => ({ destination: topicOf(n), response }));
const toReceipt = { mark: 'RECEIPT\n', destination: () => '/topic/other' };

await compareServers(import.meta.url, {
  name: 'stomp',
  unit: 'message',
  servers: { bare: serveBare, broker: serve(0), one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare node:net fan-out', server: 'bare' },
    { label: 'broker, no mocks', server: 'broker' },
    { label: '1 mock', server: 'one', destination: () => topicOf(0) },
    { label: '10,000 mocks', server: 'many', destination: (n) => topicOf(n % MANY) },
    { label: 'SEND to RECEIPT', server: 'broker', ...toReceipt },
  ],
  others: async () => {
    const rabbit = await startRabbit();
    return [
      rabbit && { label: 'RabbitMQ, SEND to RECEIPT', port: rabbit.stomp, stop: rabbit.stop, ...toReceipt },
    ];
  },
  load: ({ port, mark = 'MESSAGE\n', destination = () => ANSWERS }, milliseconds) =>
    loadStreams({
      port,
      milliseconds,
      underWay: 128,
      open: async (socket) => {
        socket.write(OPENING);
        await once(socket, 'data');
      },
      ask: (n) => {
        const receipt = mark === 'MESSAGE\n' ? '' : `receipt:${n}\n`;
        return `SEND\ndestination:${destination(n)}\n${receipt}content-type:application/json\ncontent-length:${BODY.length}\n\n${BODY}\0`;
      },
      counter: () => countByMark(mark),
    }),
  ratios: [
    { what: '10,000 mocks', of: '1 mock' },
    { what: 'SEND to RECEIPT', of: 'RabbitMQ, SEND to RECEIPT', least: 1, goal: 2.5 },
  ],
});

function serveBare() {
  const topics = new Map();
  let messages = 0;
  return listen((socket) => {
    const parse = parserTo((command, headers, body) => {
      if (command === 'CONNECT') socket.write('CONNECTED\nversion:1.2\n\n\0');
      else if (command === 'SUBSCRIBE') topics.set(headers.destination, { to: socket, id: headers.id });
      else if (command === 'SEND' && topics.has(headers.destination)) {
        const { to, id } = topics.get(headers.destination);
        messages += 1;
        const head = `MESSAGE\nsubscription:${id}\nmessage-id:${messages}\ndestination:${headers.destination}\ncontent-length:${body.length}\n\n`;
        to.write(Buffer.concat([Buffer.from(head), body, Buffer.of(0)]));
      }
    });
    socket.on('data', parse);
  });
}

/** Cuts frames out of chunks, and reads their headers. */
function parserTo(take) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (;;) {
      while (bytes[from] === 10) from += 1;
      const headEnd = bytes.indexOf('\n\n', from);
      if (headEnd < 0) break;
      const [command, ...lines] = bytes.toString('utf8', from, headEnd).split('\n');
      const headers = {};
      for (const line of lines) {
        const colon = line.indexOf(':');
        headers[line.slice(0, colon)] ??= line.slice(colon + 1);
      }
      const bodyStart = headEnd + 2;
      const length = headers['content-length'];
      const end = length === undefined ? bytes.indexOf(0, bodyStart) : bodyStart + Number(length);
      if (end < 0 || end >= bytes.length) break;
      take(command, headers, bytes.subarray(bodyStart, end));
      from = end + 1;
    }
    rest = bytes.subarray(from);
  };
}
