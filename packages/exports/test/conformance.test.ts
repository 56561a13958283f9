import { amqp } from '@backlot/amqp';
import { exporterCases, type ExportSample } from '@backlot/conformance';
import { http } from '@backlot/http';
import { imap } from '@backlot/imap';
import { importers, parseTree } from '@backlot/imports';
import { kafka } from '@backlot/kafka';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { stomp } from '@backlot/stomp';
import { websocket } from '@backlot/websocket';
import { describe, expect, it } from '@jest/globals';
import { exporters } from '../src/index.js';

/** Formats that no server reads again as what it was written of, and why. HAR, of the log as well, is an exporter of the app. */
const NOT_READ_AGAIN: Readonly<Record<string, string>> = {
  curl: 'its lines name the statuses that were answered, and are read as mocks that answer 200',
};

const item = { request: { method: 'GET', path: '/items/{id}' } };
const json = (value: unknown): object => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  json: value,
});
/** What every format can say of HTTP. */
const PLAIN = [
  { id: 'item', ...item, response: json({ id: 7, tags: ['a'] }) },
  { id: 'gone', request: { method: 'DELETE', path: '/items/{id}' }, response: { status: 204 } },
];
const ANY_PATH = { id: 'any', request: { path: '/files/*' }, response: { status: 200, body: 'x' } };
const PATTERN = {
  id: 'pattern',
  request: { path_regex: '^(?:/files/.*)$' },
  response: { status: 200, body: 'x' },
};
const TOPICS = [{ name: 'orders', partitions: 3 }, { name: 'replies' }];
const MAIL = 'From: Ann <ann@example.com>\nTo: bob@example.com\nSubject: one\n\nHello\n';
const SECOND = 'From: Cy <cy@example.com>\nSubject: two\n\nFrom here on\n>From there\n';

const inbox = (...messages: readonly object[]): Record<string, unknown> => ({
  mailboxes: [{ id: 'in', name: 'INBOX', messages }],
});

const SAMPLES: readonly ExportSample[] = [
  {
    format: 'yaml',
    readAs: 'backlot',
    settings: { http: { mocks: [...PLAIN, ANY_PATH] } },
    notRead: ['"seed" counts at a start'],
  },
  { format: 'openapi', settings: { http: { mocks: PLAIN } } },
  {
    format: 'openapi',
    settings: { http: { mocks: [...PLAIN, ANY_PATH] } },
    losses: ['a path that is a pattern'],
  },
  { format: 'postman', settings: { http: { mocks: PLAIN } } },
  {
    format: 'postman',
    settings: { http: { mocks: [...PLAIN, ANY_PATH] } },
    losses: ['that of the mock is a pattern'],
  },
  { format: 'wiremock', settings: { http: { mocks: [...PLAIN, PATTERN] } } },
  {
    format: 'wiremock',
    settings: { http: { mocks: [...PLAIN, ANY_PATH] } },
    losses: ['a path that is a pattern is an expression in WireMock'],
  },
  {
    format: 'asyncapi',
    bare: { kafka: { topics: TOPICS } },
    settings: {
      kafka: {
        topics: TOPICS,
        mocks: [
          {
            id: 'order',
            topic: 'orders',
            value: { json: { partial: { type: 'new' } } },
            response: { topic: 'replies', key: '{{request.key}}', json: { ok: true } },
          },
        ],
      },
      mqtt: {
        mocks: [
          {
            id: 'light',
            topic: 'light/{id}/set',
            response: { topic: 'lit', json: { on: true }, content_type: 'application/json', qos: 1 },
          },
        ],
      },
      nats: { mocks: [{ id: 'sum', subject: 'math.sum', response: { payload: '7' } }] },
      stomp: {
        mocks: [
          {
            id: 'ask',
            destination: '/queue/ask',
            response: { destination: '/queue/answer', body: 'yes', content_type: 'text/plain' },
          },
        ],
      },
      websocket: {
        mocks: [
          {
            id: 'chat',
            path: '/chat/{room}',
            on_message: [{ match: { json: { partial: { type: 'ping' } } }, json: { type: 'pong' } }],
          },
        ],
      },
    },
  },
  {
    format: 'asyncapi',
    settings: {
      kafka: {
        mocks: [
          {
            id: 'order',
            topic: 'orders',
            response: { topic: 'replies', key: 'k', partition: 1, value: 'v' },
          },
        ],
      },
      mqtt: { mocks: [{ id: 'light', topic: 'light', response: { payload: 'on', retain: true } }] },
      websocket: {
        mocks: [
          { id: 'greets', path: '/greets', on_connect: { send: 'hello' } },
          { id: 'closes', path: '/closes', on_message: [{ match: '*', close: { code: 4000 } }] },
        ],
      },
    },
    losses: [
      'the key of an answer is left out',
      '"partition" of an answer is left out',
      '"retain" of an answer is left out',
      'a content type is written, and what is sent has none',
      '"on_connect" of a mock is left out',
      'a mock that takes no messages is left out',
      '"close" of an answer is left out',
    ],
  },
  { format: 'mbox', settings: { imap: inbox({ raw: MAIL, flags: ['\\Seen'] }, { raw: SECOND }) } },
  { format: 'eml', settings: { imap: inbox({ raw: MAIL }) } },
];

describe('exporters', () => {
  it('are all read again, or said why not', () => {
    const read = [...SAMPLES.map(({ format }) => format), ...Object.keys(NOT_READ_AGAIN)];
    expect([...new Set(read)].toSorted()).toEqual(exporters.map(({ format }) => format).toSorted());
  });

  it.each(exporterCasesOf())('$name', ({ run }) => run());
});

function exporterCasesOf(): ReturnType<typeof exporterCases> {
  return exporterCases({
    exporters: exporters.filter(({ format }) => !Object.hasOwn(NOT_READ_AGAIN, format)),
    importers,
    samples: SAMPLES,
    neverEmpty: ['yaml'],
    protocols: [amqp, http, imap, kafka, mqtt, nats, stomp, websocket],
    parse: parseTree,
  });
}
