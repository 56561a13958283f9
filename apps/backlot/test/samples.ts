/** What the endpoint tests need of a kind. */
export interface Sample {
  /** A valid mock with the fields that the specification names, without an id. */
  readonly mock: Readonly<Record<string, unknown>>;
  /** What one of them is called; `mock` when absent. */
  readonly noun?: string;
  /** A fault of the kind's own fields, as it comes back. */
  readonly fault: Readonly<Record<string, unknown>>;
  /** Where captured messages are read and cleared, for the kinds that have them. */
  readonly captures?: string;
  /** What PATCH takes, and what the mock must then hold, for the kinds that have it. */
  readonly patch?: readonly [
    patch: Readonly<Record<string, unknown>>,
    patched: Readonly<Record<string, unknown>>,
  ];
}

/** One sample for every protocol of the specification. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  http: {
    mock: {
      request: { method: 'GET', path: '/m' },
      response: { status: 200, headers: { 'X-A': '1' }, body: 'hello' },
    },
    fault: { status: 418, body: 'tea' },
    patch: [{ status: 503 }, { response: { status: 503, body: 'hello' } }],
  },
  websocket: {
    mock: { path: '/ws', on_connect: { send: 'hi' }, on_message: [{ match: 'PING', respond: 'PONG' }] },
    fault: { close_code: 1012, message: 'restart' },
    patch: [{ send: 'hello' }, { on_connect: { send: 'hello' } }],
  },
  grpc: {
    mock: { method: 'Greeter/SayHello', response: { message: 'hi' } },
    fault: { code: 'INTERNAL', message: 'broken' },
    patch: [{ response: { message: 'hello' } }, { response: { message: 'hello' } }],
  },
  graphql: {
    mock: { operation_type: 'query', operation_name: 'GetUser', response: { user: { id: '1' } } },
    fault: { status: 502, body: 'bad gateway' },
  },
  tcp: { mock: { match: 'PING', response: 'PONG' }, fault: { reset: true } },
  redis: {
    mock: { command: 'GET', key: 'user:*', response: { type: 'bulk', value: 'alice' } },
    fault: { error: 'LOADING not yet' },
  },
  smtp: {
    mock: { from: 're:@spam\\.test$', action: 'reject', message: 'go away' },
    noun: 'rule',
    fault: { code: 451, message: 'later' },
    captures: '/api/emails',
  },
  mqtt: {
    mock: { topic: 'sensors/+/get', response: { topic: 'sensors/answer', payload: '21', qos: 1 } },
    fault: { drop: true },
    captures: '/api/mqtt/messages',
  },
  nats: {
    mock: { subject: 'orders.*', response: { payload: 'got {{request.raw_body}}' } },
    fault: { drop: true },
    captures: '/api/nats/messages',
  },
  snmp: {
    mock: { oid: '1.3.6.1.2.1.1.5.0', type: 'string', value: 'router' },
    fault: { error_status: 'genErr' },
  },
  dns: { mock: { name: 'a.test', type: 'A', records: ['10.0.0.1'] }, fault: { rcode: 'REFUSED' } },
  amqp: {
    mock: { exchange: 'orders', routing_key: 'order.*', response: { routing_key: 'done', body: 'ok' } },
    fault: { reply_code: 404, reply_text: 'gone' },
    captures: '/api/amqp/messages',
  },
  kafka: {
    mock: { topic: 'orders', records: [{ key: 'a', value: '1' }] },
    fault: { error_code: 'NOT_LEADER_OR_FOLLOWER' },
    captures: '/api/kafka/messages',
  },
  ldap: {
    mock: { base_dn: 'dc=example,dc=com', filter: '(uid=alice)', attributes: { mail: ['a@example.com'] } },
    fault: { result_code: 51, message: 'busy' },
  },
  imap: {
    mock: {
      name: 'Work',
      messages: [{ seq_num: 1, from: 'a@b.test', to: 'c@d.test', subject: 's', body: 'b' }],
    },
    noun: 'mailbox',
    fault: { response: 'BAD', message: 'broken' },
  },
  ftp: {
    mock: { path: '/readme.txt', content: 'hello' },
    noun: 'file',
    fault: { code: 450, message: 'busy' },
  },
  memcached: {
    mock: { command: 'get', key: 'user:1', response: { value: 'alice' } },
    fault: { message: 'out of memory' },
  },
  stomp: {
    mock: { destination: '/queue/in', response: { destination: '/queue/out', body: 'ok' } },
    fault: { message: 'broken' },
    captures: '/api/stomp/messages',
  },
  coap: {
    mock: { method: 'GET', path: '/temperature', response: { code: '2.05', payload: '21' } },
    fault: { code: '5.03' },
  },
  sip: {
    mock: { method: 'INVITE', uri: 'sip:alice@*', response: { status: 486 } },
    fault: { status: 500, reason: 'broken' },
  },
};
