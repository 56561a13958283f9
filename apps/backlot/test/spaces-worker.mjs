// One of several processes of tests side by side: each test has a space of one shared server, and sees nobody else's work.
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { createTransport } from 'nodemailer';

const [api, ports, name, count] = JSON.parse(process.argv[2]);
const AT_ONCE = 5;

async function call(method, path, body) {
  const answer = await fetch(api + path, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

function expectSame(got, want, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
  if (a !== b) throw new Error(`${what}: got ${a}, want ${b}`);
}

async function test(id, isShared) {
  const kinds = ['http', 'redis', 'kafka', 'smtp'];
  const space = await call('POST', '/api/spaces', { id, protocols: isShared ? [] : kinds });
  const base = `/api/spaces/${id}`;
  await call('POST', `${base}/mocks/http`, { id: 'who', request: { path: '/who' }, response: { body: id } });
  const portOf = (kind) => (isShared ? ports[kind] : space.protocols[kind].port);
  const user = isShared ? id : undefined;

  const headers = isShared ? { 'Backlot-Space': id } : {};
  const answer = await fetch(`http://127.0.0.1:${portOf('http')}/who`, { headers });
  expectSame(await answer.text(), id, 'http');

  const redis = new Redis(portOf('redis'), '127.0.0.1', user && { username: user, password: 'x' });
  expectSame(await redis.get('who'), null, 'redis before');
  await redis.set('who', id);
  expectSame([await redis.get('who'), await redis.dbsize()], [id, 1], 'redis');
  redis.disconnect();

  const mail = { host: '127.0.0.1', port: portOf('smtp'), ...(user && { auth: { user, pass: 'x' } }) };
  await createTransport(mail).sendMail({ from: 'a@x.test', to: 'b@x.test', subject: id, text: id });
  const mails = await call('GET', `${base}/emails`);
  expectSame(
    mails.map(({ subject }) => subject),
    [id],
    'mails',
  );

  const producer = new Kafka({
    brokers: [`127.0.0.1:${portOf('kafka')}`],
    clientId: user ?? 'app',
    logLevel: logLevel.NOTHING,
  }).producer();
  await producer.connect();
  await producer.send({ topic: 'orders', messages: [{ value: id }] });
  await producer.disconnect();
  const records = await call('GET', `${base}/kafka/messages`);
  expectSame(
    records.map(({ value }) => value),
    [id],
    'records',
  );

  const entries = await call('GET', `${base}/logs`);
  expectSame([...new Set(entries.map((entry) => entry.space))], [id], 'entries');
  await call('DELETE', base);
}

let next = 0;
let passed = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < count) {
      const number = next++;
      await test(`${name}-${number}`, number % 2 === 0);
      passed += 1;
    }
  }),
);
process.stdout.write(String(passed));
