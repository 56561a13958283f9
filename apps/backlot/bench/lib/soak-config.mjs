/** The newest entries of the journal that the server keeps: few, so that the ring is full at once. */
export const MAX_ENTRIES = 2_000;
/** The newest mails that it keeps. */
export const MAX_EMAILS = 200;
/** What each of the other kinds with captured messages keeps; nothing sets it. */
export const MAX_CAPTURES = 10_000;

/** Observers that CoAP has at most, and of each client; nothing sets them. */
export const MAX_OBSERVERS = 10_000;
export const MAX_OBSERVERS_OF_CLIENT = 64;

/** Message ids that CoAP remembers, and transactions of SIP; nothing sets it. */
export const MAX_REMEMBERED = 16_384;

export const PROTO = `syntax = "proto3";
package acme;
message User { int64 id = 1; string name = 2; }
message GetUser { int64 id = 1; string name = 2; }
service Users { rpc Get(GetUser) returns (User); rpc Watch(GetUser) returns (stream User); }
`;

/** All twenty kinds on free ports, with a mock or two each and stored data where the kind has some. */
export const CONFIG = {
  host: '127.0.0.1',
  api: { port: 0 },
  logs: { max_entries: MAX_ENTRIES },
  state: { color: 'blue' },
  scenarios: [{ id: 'broken', patches: [{ mock_id: 'get-item', status: 503 }] }],
  protocols: {
    http: {
      port: 0,
      mocks: [
        {
          id: 'get-item',
          request: { path: '/items/{id}' },
          response: { body: 'item {{request.params.id}}' },
        },
      ],
    },
    websocket: {
      port: 0,
      mocks: [{ path: '/ws', on_connect: { send: 'hi' }, on_message: [{ match: '*', respond: 'PONG' }] }],
    },
    grpc: {
      port: 0,
      protos: ['acme.proto'],
      mocks: [
        { method: 'Get', response: { name: 'well' } },
        { method: 'Watch', keep_open: true },
      ],
    },
    graphql: {
      port: 0,
      mocks: [{ operation_type: 'query', operation_name: 'GetUser', response: { user: { id: '1' } } }],
    },
    tcp: { port: 0, tls: { self_signed: true }, mocks: [{ match: 'PING', response: 'PONG' }] },
    redis: {
      port: 0,
      mode: 'stateful',
      mocks: [{ command: 'GET', key: 'user:*', response: { type: 'bulk', value: 'alice' } }],
    },
    smtp: { port: 0, max_emails: MAX_EMAILS, rules: [{ from: 're:@spam\\.test$', action: 'reject' }] },
    mqtt: {
      port: 0,
      mocks: [{ topic: 'sensors/+/get', response: { topic: 'sensors/answer', payload: '21' } }],
    },
    nats: { port: 0, mocks: [{ subject: 'orders.*', response: { payload: 'got it' } }] },
    snmp: { port: 0, mocks: [{ oid: '1.3.6.1.2.1.1.5.0', type: 'string', value: 'router' }] },
    dns: { port: 0, mocks: [{ name: 'a.test', type: 'A', records: ['10.0.0.1'] }] },
    amqp: { port: 0, mocks: [{ exchange: 'calls', routing_key: 'order.*', response: { body: 'ok' } }] },
    kafka: {
      port: 0,
      topics: [{ name: 'in' }],
      mocks: [{ topic: 'orders', records: [{ key: 'a', value: '1' }] }],
    },
    ldap: {
      port: 0,
      mocks: [
        { base_dn: 'dc=example,dc=com', filter: '(uid=alice)', attributes: { mail: ['a@example.com'] } },
      ],
    },
    imap: {
      port: 0,
      inbox_from: 'smtp',
      mailboxes: [
        {
          name: 'Work',
          messages: [{ seq_num: 1, from: 'a@b.test', to: 'c@d.test', subject: 's', body: 'b' }],
        },
      ],
    },
    ftp: { port: 0, files: [{ path: '/readme.txt', content: 'hello' }] },
    memcached: { port: 0, mocks: [{ command: 'get', key: 'user:1', response: { value: 'alice' } }] },
    stomp: {
      port: 0,
      mocks: [{ destination: '/queue/calls', response: { destination: '/queue/out', body: 'ok' } }],
    },
    coap: {
      port: 0,
      mocks: [{ method: 'GET', path: '/temperature', response: { code: '2.05', payload: '21' } }],
    },
    sip: { port: 0, mocks: [{ method: 'INVITE', uri: 'sip:alice@*', response: { status: 486 } }] },
  },
};
