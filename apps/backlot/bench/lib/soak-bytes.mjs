// What clients send, by kind: made by hand where that is short, recorded by the tests of the packages where it is not.
import { readFileSync } from 'node:fs';

const PROTOCOLS = new URL('../../../../packages/protocols/', import.meta.url);

/** The bytes that the tests of a package hold in one file, a buffer for each of its literals. */
function recorded(
  /** @type {string} */ file,
  /** @type {RegExp} */ part,
  /** @type {BufferEncoding} */ encoding,
) {
  const text = readFileSync(new URL(file, PROTOCOLS), 'utf8');
  const found = [...text.matchAll(part)].map(([, literal = '']) =>
    Buffer.from([...literal.matchAll(/'([^']*)'/g)].map(([, piece]) => piece).join(''), encoding),
  );
  if (found.length === 0) throw new Error(`${file} holds no recorded bytes any more`);
  return found;
}

const HEX_LIST = /Buffer\.from\(\s*\[([^\]]*)\]/g;
export const AMQP_SESSION = recorded('amqp/test/recorded-session.ts', HEX_LIST, 'hex')[0] ?? Buffer.alloc(0);
export const LDAP_SESSION = recorded('ldap/test/session.ts', HEX_LIST, 'hex')[0] ?? Buffer.alloc(0);
export const GRPC_SESSION =
  recorded('grpc/test/support/session.ts', /SESSION = Buffer\.from\(([^)]*?),\s*'hex'/g, 'hex')[0] ??
  Buffer.alloc(0);
export const KAFKA_SESSIONS = recorded(
  'kafka/test/recorded-sessions.ts',
  /Buffer\.from\(([^)]*?),\s*'base64'/g,
  'base64',
);
/** The requests of a session, each with its length. @param {Buffer} session */
export function framesOf(session) {
  const frames = [];
  for (let place = 0; place + 4 <= session.length;) {
    const end = place + 4 + session.readUInt32BE(place);
    frames.push(session.subarray(place, end));
    place = end;
  }
  return frames;
}

const [KCAT = Buffer.alloc(0)] = KAFKA_SESSIONS.slice(4);
/** The requests by which kcat produces one record, without an id of a producer, and asks where a topic is. */
export const KAFKA_PRODUCE = requestOf(KCAT, 0);
export const KAFKA_METADATA = requestOf(KCAT, 3);

/** @param {Buffer} session @param {number} apiKey */
function requestOf(session, apiKey) {
  const request = framesOf(session).find((frame) => frame.readUInt16BE(4) === apiKey);
  if (request === undefined) throw new Error(`the recorded session has no request with the key ${apiKey}`);
  return request;
}

/** GET and GETNEXT of v1, GET and SET of v2c, and a discovery of v3: net-snmp sent them. */
export const SNMP_REQUESTS = [
  '302902010004067075626c6963a01c020469445c7b020100020100300e300c06082b060102010105000500',
  '302902010004067075626c6963a11c02044e83dad5020100020100300e300c06082b060102010105000500',
  '302902010104067075626c6963a01c0204047f747f020100020100300e300c06082b060102010105000500',
  '303002010104067075626c6963a3230204042b744c0201000201003015301306082b0601020101050004076368616e676564',
  '303e02010330110204349cd840020300ffe30401040201030410300e0400020100020100040004000400301404000400a00e02041f8fb0530201000201003000',
].map((hex) => Buffer.from(hex, 'hex'));

/** A query for the addresses of a name. @param {string} name @param {number} id */
export function dnsQuery(name, id) {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([
    Buffer.from([id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ...labels,
    Buffer.from([0, 0, 1, 0, 1]),
  ]);
}

/** An unbroken text message of a client. @param {string} text */
export function webSocketFrame(text, opcode = 1) {
  const payload = Buffer.from(text);
  const header = [0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(header), payload]);
}

/** @param {string} path @param {string} [more] */
export function webSocketUpgrade(path, more = '') {
  const lines = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n${more}`;
  return `GET ${path} HTTP/1.1\r\nHost: a.test\r\n${lines}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;
}

/** @param {string} text */
function mqttText(text) {
  return Buffer.concat([Buffer.from([text.length >> 8, text.length & 255]), Buffer.from(text)]);
}

/** A packet shorter than 128 bytes. @param {number} first @param {Uint8Array[]} parts */
function mqttPacket(first, ...parts) {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([first, body.length]), body]);
}

export const mqtt = {
  /** MQTT 3.1.1, or 5 with a session that lasts `expiry` seconds. */
  connect: (/** @type {string} */ id, { clean = true, expiry = -1, will = false } = {}) =>
    mqttPacket(
      0x10,
      mqttText('MQTT'),
      Buffer.from([expiry < 0 ? 4 : 5, (clean ? 2 : 0) | (will ? 4 : 0), 0, 60]),
      expiry < 0 ? Buffer.alloc(0) : Buffer.from([5, 17, 0, 0, expiry >> 8, expiry & 255]),
      mqttText(id),
      ...(will ? [...(expiry < 0 ? [] : [Buffer.from([0])]), mqttText('wills/a'), mqttText('gone')] : []),
    ),
  subscribe: (/** @type {string} */ filter, version = 4) =>
    mqttPacket(0x82, Buffer.from(version === 5 ? [0, 1, 0] : [0, 1]), mqttText(filter), Buffer.from([1])),
  publish: (/** @type {string} */ topic, /** @type {string} */ payload, qos = 1) =>
    mqttPacket(
      0x30 | (qos << 1),
      mqttText(topic),
      Buffer.from(qos === 0 ? [] : [0, 7]),
      Buffer.from(payload),
    ),
  disconnect: Buffer.from([0xe0, 0]),
};

/** @param {number} type @param {number} channel @param {Uint8Array} payload */
function amqpFrame(type, channel, payload) {
  const header = Buffer.from([type, 0, channel, 0, 0, 0, payload.length]);
  return Buffer.concat([header, payload, Buffer.from([0xce])]);
}
const shortText = (/** @type {string} */ text) =>
  Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
const longText = (/** @type {string} */ text) =>
  Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)]);

export const amqp = {
  open: Buffer.concat([
    Buffer.from('AMQP\0\0\x09\x01', 'latin1'),
    amqpFrame(
      1,
      0,
      Buffer.concat([
        Buffer.from([0, 10, 0, 11, 0, 0, 0, 0]),
        shortText('PLAIN'),
        longText('\0guest\0guest'),
        shortText('en_US'),
      ]),
    ),
    amqpFrame(1, 0, Buffer.from([0, 10, 0, 31, 7, 255, 0, 2, 0, 0, 0, 60])),
    amqpFrame(1, 0, Buffer.concat([Buffer.from([0, 10, 0, 40]), shortText('/'), Buffer.from([0, 0])])),
    amqpFrame(1, 1, Buffer.from([0, 20, 0, 10, 0])),
  ]),
  publish: (/** @type {string} */ exchange, /** @type {string} */ key, /** @type {string} */ body) =>
    Buffer.concat([
      amqpFrame(
        1,
        1,
        Buffer.concat([
          Buffer.from([0, 60, 0, 40, 0, 0]),
          shortText(exchange),
          shortText(key),
          Buffer.from([0]),
        ]),
      ),
      amqpFrame(2, 1, Buffer.from([0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, body.length, 0, 0])),
      amqpFrame(3, 1, Buffer.from(body)),
    ]),
  close: amqpFrame(1, 0, Buffer.from([0, 10, 0, 50, 0, 200, 0, 0, 0, 0, 0])),
};

const coapHeader = (/** @type {number} */ code, /** @type {number} */ id) =>
  Buffer.from([0x42, code, id >> 8, id & 255, (id * 7) & 255, (id * 13) & 255]);

export const coap = {
  get: (/** @type {number} */ id) =>
    Buffer.concat([coapHeader(1, id), Buffer.from('\xbbtemperature', 'latin1')]),
  observe: (/** @type {number} */ id) =>
    Buffer.concat([coapHeader(1, id), Buffer.from('\x60\x5btemperature', 'latin1')]),
  /** The first block of a body that never ends. */
  firstBlock: (/** @type {number} */ id) =>
    Buffer.concat([coapHeader(3, id), Buffer.from('\xb1x\xd1\x03\x0a\xff', 'latin1'), Buffer.alloc(64, 'b')]),
};

/** A request of SIP. @param {string} method @param {string} user @param {string} id - of the call and its branch */
export function sipRequest(method, user, id) {
  const lines = [
    `${method} sip:${user}@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:15099;branch=z9hG4bK-${id};rport`,
    'From: a <sip:a@127.0.0.1>;tag=a1',
    `To: <sip:${user}@127.0.0.1>`,
    `Call-ID: ${id}@127.0.0.1`,
    `CSeq: 1 ${method}`,
    'Contact: <sip:a@127.0.0.1:15099>',
    'Max-Forwards: 70',
    ...(method === 'REGISTER' ? ['Expires: 60'] : []),
    'Content-Length: 0',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}
