// Plays sessions: good ones, and those of clients that leave in the middle or send what is no message at all.
import { CONVERSATIONS, DATAGRAMS } from './soak-sessions.mjs';
import { KAFKA_METADATA, KAFKA_PRODUCE, amqp, coap, mqtt, sipRequest } from './soak-bytes.mjs';
import {
  MAX_CAPTURES,
  MAX_EMAILS,
  MAX_OBSERVERS,
  MAX_OBSERVERS_OF_CLIENT,
  MAX_REMEMBERED,
} from './soak-config.mjs';
import { PATIENCE, openStream, sendDatagrams } from './soak-wire.mjs';

/** How long a client that sent nonsense waits for the end, in ms. */
const SHORT = 100;
/** How long a client waits that fills a ring, in ms. */
const LONG = 60_000;
const FILLED_AT_ONCE = 500;
const AT_ONCE = 32;

/** Numbers below `below` that repeat, by a linear congruential generator. @param {number} seed */
export function chance(seed) {
  let state = seed;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** @typedef {{ port: number, secure?: boolean }} Place */
/** @typedef {Readonly<Record<string, Place>>} Places */

/**
 * Every kind of session, in the order in which they are played; each resolves with whether every answer came, or with
 * nothing where none is due.
 *
 * @param {Places} places
 * @param {(below: number) => number} random
 */
export function makeSessions(places, random) {
  /** @type {{ name: string, play: (n: number) => Promise<boolean | undefined> }[]} */
  const sessions = [];
  for (const [kind, conversations] of Object.entries(CONVERSATIONS)) {
    const place = placeOf(places, kind);
    for (const [index, conversation] of conversations.entries()) {
      const steps = (/** @type {number} */ n) => conversation(n);
      sessions.push({ name: `${kind} ${index}`, play: (n) => converse(place, steps(n)) });
      const abrupt = [leaveInTheMiddle, sendHalf, sendChanged];
      sessions.push({
        name: `${kind} ${index} broken`,
        play: (n) => abrupt[random(3)]?.(place, steps(n), random),
      });
    }
    sessions.push({ name: `${kind} garbage`, play: () => sendGarbage(place, random) });
  }
  for (const [kind, make] of Object.entries(DATAGRAMS)) {
    const { port } = placeOf(places, kind);
    sessions.push({
      name: `${kind} datagram`,
      play: (n) => {
        const [message = Buffer.alloc(0), wanted] = make(n);
        return sendDatagrams(port, [message], wanted);
      },
    });
    sessions.push({
      name: `${kind} broken datagram`,
      async play(n) {
        const [message = Buffer.alloc(0)] = make(n);
        await sendDatagrams(port, [change(message, random), noise(random)], 2, SHORT);
      },
    });
  }
  sessions.push({ name: 'ftp', play: (n) => playFtp(placeOf(places, 'ftp'), n) });
  sessions.push({ name: 'ftp garbage', play: () => sendGarbage(placeOf(places, 'ftp'), random) });
  sessions.push({ name: 'ftp broken', play: () => leaveFtp(placeOf(places, 'ftp')) });
  return sessions;
}

/** @param {Places} places @param {string} kind */
function placeOf(places, kind) {
  const place = places[kind];
  if (place === undefined) throw new Error(`${kind} does not listen`);
  return place;
}

/** @param {Place} place @param {readonly import('./soak-sessions.mjs').Step[]} steps */
async function converse(place, steps, patience = PATIENCE) {
  const client = openStream(place);
  let isWell = true;
  for (const [bytes, answer] of steps) {
    client.send(bytes);
    isWell = (await client.until(answer, patience)) !== null && isWell;
  }
  client.end();
  await client.closed(SHORT);
  client.close();
  return isWell;
}

/** @type {(place: Place, steps: readonly import('./soak-sessions.mjs').Step[], random: (below: number) => number) => Promise<undefined>} */
async function leaveInTheMiddle(place, steps, random) {
  const client = openStream(place);
  for (const [bytes, answer] of steps.slice(0, random(steps.length) + 1)) {
    client.send(bytes);
    await client.until(answer, SHORT);
  }
  client.reset();
}

/** @type {typeof leaveInTheMiddle} */
async function sendHalf(place, steps, random) {
  const client = openStream(place);
  const last = random(steps.length);
  for (const [bytes, answer] of steps.slice(0, last)) {
    client.send(bytes);
    await client.until(answer, SHORT);
  }
  const bytes = Buffer.from(steps[last]?.[0] ?? '', 'latin1');
  client.send(bytes.subarray(0, random(bytes.length)));
  if (random(2) === 0) client.end();
  await client.closed(SHORT);
  client.close();
}

/** @type {typeof leaveInTheMiddle} */
async function sendChanged(place, steps, random) {
  const client = openStream(place);
  for (const [bytes, answer] of steps) {
    client.send(random(3) === 0 ? change(Buffer.from(bytes, 'latin1'), random) : bytes);
    await client.until(answer, SHORT);
  }
  client.end();
  await client.closed(SHORT);
  client.close();
}

/** @param {Place} place @param {(below: number) => number} random @returns {Promise<undefined>} */
async function sendGarbage(place, random) {
  const client = openStream({ port: place.port });
  client.send(noise(random));
  if (random(4) > 0) await client.closed(SHORT);
  client.reset();
}

/** @param {Buffer} bytes @param {(below: number) => number} random */
function change(bytes, random) {
  const changed = Buffer.from(bytes);
  for (let count = random(4); count >= 0 && changed.length > 0; count -= 1)
    changed[random(changed.length)] = random(256);
  return random(3) === 0 ? changed.subarray(0, random(changed.length)) : changed;
}

/** @param {(below: number) => number} random */
function noise(random) {
  return Buffer.from(Array.from({ length: 1 + random(600) }, () => random(256)));
}

/** @param {Place} place @param {number} n */
async function playFtp(place, n) {
  const client = await enterFtp(place);
  const isListed = await transfer(client, 'LIST', (data) => data.until(/readme/));
  const isStored = await transfer(client, 'STOR up.txt', async (data) => {
    data.send(`file ${n}`);
    data.end();
    return data.closed();
  });
  client.send('QUIT\r\n');
  const isWell = (await client.until(/221 /)) !== null && isListed && isStored;
  client.end();
  await client.closed(SHORT);
  client.close();
  return isWell;
}

/** Waits for data that it never fetches. @param {Place} place @returns {Promise<undefined>} */
async function leaveFtp(place) {
  const client = await enterFtp(place);
  client.send('EPSV\r\n');
  await client.until(/229 .*\|(\d+)\|/, SHORT);
  client.send('RETR readme.txt\r\n');
  client.reset();
}

/** @param {Place} place */
async function enterFtp(place) {
  const client = openStream(place);
  await client.until(/^220 /);
  client.send('USER ann\r\n');
  await client.until(/331 /);
  client.send('PASS x\r\n');
  await client.until(/230 /);
  return client;
}

/**
 * @param {ReturnType<typeof openStream>} client
 * @param {string} command
 * @param {(data: ReturnType<typeof openStream>) => Promise<unknown>} use
 */
async function transfer(client, command, use) {
  client.send('EPSV\r\n');
  const port = Number((await client.until(/229 .*\|(\d+)\|/))?.[1]);
  if (!(port > 0)) return false;
  const data = openStream({ port });
  client.send(`${command}\r\n`);
  const isWell = Boolean(await use(data));
  const isDone = (await client.until(/226 /)) !== null;
  data.close();
  return isWell && isDone;
}

/**
 * Fills what stays through a reset, each with a client of its own: message ids of CoAP and transactions of SIP, of which
 * nobody asks again and which make room when newer ones come; and observers of CoAP, which a client that has left stays
 * until it is told something.
 *
 * @param {Places} places
 */
export async function fillMemories(places) {
  const several = Array.from({ length: MAX_OBSERVERS_OF_CLIENT }, (_, id) => coap.observe(id));
  for (let count = 0; count < MAX_OBSERVERS; count += several.length)
    await sendDatagrams(placeOf(places, 'coap').port, several, several.length);
  for (const [kind, make] of /** @type {const} */ ([
    ['coap', coap.get],
    ['sip', (/** @type {number} */ n) => sipRequest('OPTIONS', 'bob', `fill-${n}`)],
  ])) {
    const { port } = placeOf(places, kind);
    for (let n = 0; n < MAX_REMEMBERED; n += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, more) => sendDatagrams(port, [make(n + more)], 1)),
      );
  }
}

/** Fills what is bounded by a number: from then on it holds the same, whatever comes. @param {Places} places */
export async function fillRings(places) {
  const several = (/** @type {Uint8Array} */ bytes, /** @type {number} */ count) =>
    Buffer.concat(Array.from({ length: count }, () => bytes));
  /** @type {(kind: string, steps: readonly import('./soak-sessions.mjs').Step[]) => Promise<void>} */
  const fill = async (kind, steps) => {
    if (!(await converse(placeOf(places, kind), steps, LONG))) throw new Error(`${kind} was not filled`);
  };
  await fill('mqtt', [
    [mqtt.connect('filler'), /\x20\x02\x00\x00/],
    [several(mqtt.publish('fill/a', 'value', 0), MAX_CAPTURES), /^/],
    [Buffer.from([0xc0, 0]), /\xd0\x00/],
  ]);
  await fill('nats', [
    ['CONNECT {"verbose":false}\r\nPING\r\n', /PONG/],
    [several(Buffer.from('PUB fill.a 5\r\nhello\r\n'), MAX_CAPTURES), /^/],
    ['PING\r\n', /PONG/],
  ]);
  await fill('amqp', [
    [amqp.open, /\x00\x14\x00\x0b/],
    [several(amqp.publish('amq.topic', 'fill.a', 'value'), MAX_CAPTURES), /^/],
    [amqp.close, /\x00\x0a\x00\x33\xce$/],
  ]);
  await fill('stomp', [
    ['CONNECT\naccept-version:1.2\nhost:a\n\n\0', /CONNECTED/],
    [several(Buffer.from('SEND\ndestination:/topic/fill\n\nhello\0'), MAX_CAPTURES), /^/],
    ['DISCONNECT\nreceipt:bye\n\n\0', /RECEIPT/],
  ]);
  for (let count = 0; count < MAX_CAPTURES; count += FILLED_AT_ONCE)
    await fill('kafka', [
      [several(KAFKA_PRODUCE, FILLED_AT_ONCE), /^/],
      [KAFKA_METADATA, /127\.0\.0\.1/],
    ]);
  const mails = Array.from(
    { length: MAX_EMAILS },
    (_, n) =>
      /** @type {const} */ ([
        `MAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n`,
        /354 /,
        `Subject: fill ${n}\r\n\r\nhello\r\n.\r\n`,
      ]),
  );
  await fill('smtp', [
    ['EHLO a.test\r\n', /250 /],
    ...mails.flatMap(([begin, wanted, text]) => [
      /** @type {import('./soak-sessions.mjs').Step} */ ([begin, wanted]),
      /** @type {import('./soak-sessions.mjs').Step} */ ([text, /250 /]),
    ]),
  ]);
}
