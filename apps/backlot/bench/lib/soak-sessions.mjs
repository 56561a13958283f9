// Short good sessions of every kind; each says which answer it waits for before its next step.
import {
  AMQP_SESSION,
  GRPC_SESSION,
  KAFKA_SESSIONS,
  LDAP_SESSION,
  SNMP_REQUESTS,
  amqp,
  coap,
  dnsQuery,
  framesOf,
  mqtt,
  sipRequest,
  webSocketFrame,
  webSocketUpgrade,
} from './soak-bytes.mjs';

/** @typedef {readonly [bytes: string | Uint8Array, answer: RegExp]} Step */
/** @typedef {(n: number) => readonly Step[]} Conversation */

const ANY = /[^]/;
/** Nothing is waited for. */
const NOTHING = /^/;
const json = (/** @type {object} */ value) => JSON.stringify(value);
const graphqlQuery = { query: 'query GetUser { user { id } }' };

function httpPost(/** @type {string} */ path, /** @type {string} */ body) {
  const headers = `Host: a.test\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  return `POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n${body}`;
}

function mail(/** @type {number} */ n) {
  return `From: a@b.test\r\nTo: c@d.test\r\nSubject: mail ${n}\r\n\r\n${'A line of text.\r\n'.repeat(20)}.\r\n`;
}

/** Over TCP, by kind: one of them is played at a time, in turn. @type {Readonly<Record<string, readonly Conversation[]>>} */
export const CONVERSATIONS = {
  http: [
    (n) => [
      [`GET /items/${n} HTTP/1.1\r\nHost: a.test\r\n\r\n`, /item \d+/],
      [httpPost('/items/1', json({ text: 'x'.repeat(n % 3000) })), /item 1/],
      [`GET /nothing/${n} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`, / 404 /],
    ],
  ],
  websocket: [
    (n) => [
      [webSocketUpgrade(`/ws?n=${n}`), /hi$/],
      [webSocketFrame(`message ${n}`), /PONG/],
      [webSocketFrame('\x03\xe8'.slice(0, 0), 8), /\x88/],
    ],
  ],
  grpc: [() => [[GRPC_SESSION, /well[^]*well/]]],
  graphql: [
    (n) => [[httpPost('/graphql', json({ ...graphqlQuery, variables: { n } })), /"id":\s*"1"/]],
    (n) => [
      [webSocketUpgrade('/graphql', 'Sec-WebSocket-Protocol: graphql-transport-ws\r\n'), / 101 /],
      [webSocketFrame(json({ type: 'connection_init' })), /connection_ack/],
      [webSocketFrame(json({ id: `${n}`, type: 'subscribe', payload: graphqlQuery })), /complete/],
    ],
  ],
  tcp: [() => [['PING', /PONG/]]],
  redis: [
    (n) => [
      [`SET key:${n % 500} value-${n} EX 60\r\n`, /OK/],
      [`GET key:${n % 500}\r\n`, /value-/],
      ['SUBSCRIBE news\r\n', /subscribe/],
      ['UNSUBSCRIBE\r\n', /unsubscribe/],
      ['MULTI\r\nINCR counter\r\nEXEC\r\n', /\*1\r\n:/],
      ['QUIT\r\n', /OK/],
    ],
    (n) => [
      ['WATCH key:1\r\n', /OK/],
      [`GET user:${n}\r\nPUBLISH news ${n}\r\n`, /alice[^]*:\d/],
    ],
  ],
  smtp: [
    (n) => [
      ['', /^220 /],
      ['EHLO a.test\r\n', /250 /],
      [`MAIL FROM:<a${n}@b.test>\r\nRCPT TO:<c@d.test>\r\n`, /250[^]*250 /],
      ['DATA\r\n', /354 /],
      [mail(n), /250 /],
      ['QUIT\r\n', /221 /],
    ],
  ],
  mqtt: [
    (n) => [
      [mqtt.connect(`client-${n}`), /\x20\x02\x00\x00/],
      [mqtt.subscribe('sensors/#'), /\x90\x03/],
      [mqtt.publish(`sensors/${n % 50}/get`, `value ${n}`), /sensors.answer/],
      [mqtt.disconnect, NOTHING],
    ],
    // A session that stays, of one of fifty clients.
    (n) => [
      [mqtt.connect(`lasting-${n % 50}`, { clean: false }), /\x20\x02[^]\x00/],
      [mqtt.subscribe('lasting/a'), /\x90\x03/],
    ],
    // A client that is never seen again, whose session ends soon.
    (n) => [
      [mqtt.connect(`once-${n}`, { clean: false, expiry: 5, will: true }), /\x20/],
      [mqtt.subscribe(`once/${n}`, 5), /\x90/],
    ],
  ],
  nats: [
    (n) => [
      ['CONNECT {"verbose":false}\r\nPING\r\n', /PONG/],
      [`SUB inbox.${n} 1\r\nPUB orders.${n % 50} inbox.${n} 5\r\nhello\r\n`, /got it/],
      ['UNSUB 1\r\nPING\r\n', /PONG/],
    ],
  ],
  dns: [
    (n) => {
      const query = dnsQuery(n % 2 === 0 ? 'a.test' : `n${n}.test`, n & 0xffff);
      return [[Buffer.concat([Buffer.from([0, query.length]), query]), /test/]];
    },
  ],
  amqp: [
    () => [[AMQP_SESSION, /\x00\x0a\x00\x33\xce$/]],
    (n) => [
      [amqp.open, /\x00\x14\x00\x0b/],
      [amqp.publish('amq.topic', `a.${n}`, `value ${n}`), NOTHING],
      [amqp.close, /\x00\x0a\x00\x33\xce$/],
    ],
  ],
  kafka: KAFKA_SESSIONS.map(
    (session) => () => framesOf(session).map((frame) => /** @type {Step} */ ([frame, ANY])),
  ),
  ldap: [() => [[LDAP_SESSION, /1\.3\.6|[^]{60}/]]],
  imap: [
    (n) => [
      ['', /^\* OK/],
      ['a LOGIN user pass\r\nb SELECT INBOX\r\n', /^b OK/m],
      ['c FETCH * (FLAGS BODY.PEEK[])\r\nd SEARCH SUBJECT mail\r\n', /^d OK/m],
      [`e APPEND Work {30}\r\n`, /\+/],
      [`Subject: ${String(n).padStart(9, '0')}\r\n\r\nhello...\r\n`, /^e OK/m],
      ['f SELECT Work\r\ng STORE 1:* +FLAGS (\\Deleted)\r\nh EXPUNGE\r\n', /^h OK/m],
      ['i LOGOUT\r\n', /^i OK/m],
    ],
    () => [
      ['', /^\* OK/],
      ['a LOGIN user pass\r\nb SELECT INBOX\r\nc IDLE\r\n', /\+ /],
    ],
  ],
  memcached: [
    (n) => [
      [`set key:${n % 500} 0 60 5\r\nhello\r\nget key:${n % 500}\r\nget user:1\r\n`, /END[^]*END/],
      ['mn\r\n', /MN/],
      ['quit\r\n', NOTHING],
    ],
  ],
  stomp: [
    (n) => [
      ['CONNECT\naccept-version:1.2\nhost:a\n\n\0', /CONNECTED/],
      [`SUBSCRIBE\nid:1\ndestination:/queue/q${n % 50}\nack:client\n\n\0`, NOTHING],
      [`SEND\ndestination:/queue/q${n % 50}\n\nhello ${n}\0`, /MESSAGE/],
      ['BEGIN\ntransaction:t\n\n\0SEND\ndestination:/topic/a\ntransaction:t\n\nx\0', NOTHING],
      ['DISCONNECT\nreceipt:bye\n\n\0', /RECEIPT/],
    ],
  ],
  sip: [(n) => [[sipRequest('OPTIONS', 'bob', `tcp-${n}`), /SIP\/2.0 /]]],
};

/** Over UDP, by kind: datagrams from a port of their own, and how many answers they get. */
export const DATAGRAMS = {
  snmp: (/** @type {number} */ n) => [SNMP_REQUESTS[n % SNMP_REQUESTS.length], 1],
  dns: (/** @type {number} */ n) => [dnsQuery(n % 2 === 0 ? 'a.test' : `u${n}.test`, n & 0xffff), 1],
  coap: (/** @type {number} */ n) => [[coap.get, coap.observe, coap.firstBlock][n % 3]?.(n & 0xffff), 1],
  sip: (/** @type {number} */ n) => [
    sipRequest(['OPTIONS', 'REGISTER', 'INVITE'][n % 3] ?? '', n % 2 === 0 ? 'alice' : 'bob', `udp-${n}`),
    1,
  ],
};
