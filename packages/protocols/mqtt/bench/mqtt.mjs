// What a message costs from a publisher to a subscriber: bare aedes against this plugin, with QoS 0 and 1, without mocks
// and with an answer by 1 and by 10,000 mocks.
import { once } from 'node:events';
import { createHost } from '@backlot/core';
import { mqtt } from '@backlot/mqtt';
import {
  compareServers,
  connect,
  countFrames,
  inTime,
  listen,
  serveMocks,
  startProgram,
} from '@backlot/tooling/bench';
import { Aedes } from 'aedes';

const MANY = 10_000;
const WINDOW = 64;
const PAYLOAD = Buffer.from('the payload of a message that somebody publishes');

const exact = (n) => mockOf(`devices/${n}/get`, n);
const filter = (n) => mockOf(`sites/+/${n}/#`, n);
const serve = serveMocks(createHost, mqtt, (n, make) => make(n));
const toExact = { topic: 'devices/0/get', from: 'answers' };
const toFilter = { topic: 'sites/a/0/x', from: 'answers' };

await compareServers(import.meta.url, {
  name: 'mqtt',
  unit: 'message',
  servers: {
    aedes: serveBare,
    broker: serve(0),
    exact: serve(1, exact),
    'exact-many': serve(MANY, exact),
    filter: serve(1, filter),
    'filter-many': serve(MANY, filter),
  },
  cases: [
    { label: 'aedes, QoS 0', server: 'aedes' },
    { label: 'broker, QoS 0', server: 'broker', of: 'aedes, QoS 0' },
    { label: 'aedes, QoS 1', server: 'aedes', qos: 1, of: 'aedes, QoS 1' },
    { label: 'broker, QoS 1', server: 'broker', qos: 1, of: 'aedes, QoS 1' },
    { label: 'exact topic of 1', server: 'exact', ...toExact, of: 'exact topic of 1' },
    { label: 'exact topic of 10,000', server: 'exact-many', ...toExact, of: 'exact topic of 1' },
    { label: 'filter of 1', server: 'filter', ...toFilter, of: 'filter of 1' },
    { label: 'filter of 10,000', server: 'filter-many', ...toFilter, of: 'filter of 1' },
  ],
  others: async () => {
    const started = await startProgram('mosquitto', (port) => ['-p', port]);
    if (started === undefined) return [];
    return [
      { label: 'mosquitto, QoS 0', of: 'mosquitto, QoS 0', ...started },
      { label: 'mosquitto, QoS 1', qos: 1, of: 'mosquitto, QoS 1', ...started },
    ];
  },
  load,
  ratios: [
    { what: 'broker, QoS 0', of: 'mosquitto, QoS 0', goal: 3 },
    { what: 'broker, QoS 1', of: 'mosquitto, QoS 1', goal: 1.05 },
  ],
});

function mockOf(topic, n) {
  return { topic, response: { topic: 'answers', payload: `state of ${n}` } };
}

async function serveBare() {
  const aedes = await Aedes.createBroker();
  return listen(aedes.handle);
}

/** Keeps a window of messages on their way, and counts those that come out at the other end. */
async function load({ port, qos = 0, topic = 'bench/topic', from = topic }, milliseconds) {
  const subscriber = await join(port, 'subscriber');
  const publisher = await join(port, 'publisher');
  subscriber.write(packet(0x82, [0, 1], text(from), [qos]));
  await once(subscriber, 'data');
  let id = 0;
  const publish = () => {
    id = id === 0xffff ? 1 : id + 1;
    return packet(0x30 | (qos << 1), text(topic), qos === 0 ? [] : [id >> 8, id & 0xff], PAYLOAD);
  };
  publisher.resume();
  let received = 0;
  const end = performance.now() + milliseconds;
  await inTime(milliseconds, (resolve, reject) => {
    const acks = [];
    // All packets here are shorter than 128 bytes.
    const count = countFrames(
      (bytes, at) => (bytes.length - at < 2 ? 0 : 2 + bytes[at + 1]),
      (frame) => {
        if (frame[0] >> 4 !== 3) return false;
        const idAt = 4 + frame.readUInt16BE(2);
        if ((frame[0] & 6) !== 0) acks.push(0x40, 2, frame[idAt], frame[idAt + 1]);
        return true;
      },
    );
    publisher.on('error', reject);
    subscriber.on('error', reject).on('data', (chunk) => {
      const came = count(chunk);
      received += came;
      if (acks.length > 0) subscriber.write(Buffer.from(acks.splice(0)));
      if (performance.now() >= end) return resolve();
      if (came > 0) publisher.write(Buffer.concat(Array.from({ length: came }, publish)));
    });
    publisher.write(Buffer.concat(Array.from({ length: WINDOW }, publish)));
  });
  publisher.destroy();
  subscriber.destroy();
  return received;
}

async function join(port, clientId) {
  const socket = await connect(port);
  socket.write(packet(0x10, text('MQTT'), [4, 2, 0, 0], text(clientId)));
  await once(socket, 'data');
  return socket;
}

function text(value) {
  return [0, value.length, ...Buffer.from(value)];
}

function packet(first, ...parts) {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([first, body.length]), body]);
}
