import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import specs from '@asyncapi/specs';
import { amqp } from '@backlot/amqp';
import { collectCleanups } from '@backlot/conformance';
import { http } from '@backlot/http';
import { kafka } from '@backlot/kafka';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { stomp } from '@backlot/stomp';
import { websocket } from '@backlot/websocket';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { exported, imported, running } from './support/running.js';

const afterThis = collectCleanups();
const KINDS = [amqp, http, kafka, mqtt, nats, stomp, websocket];

const check = (() => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  const [, schema = {}] = Object.entries(specs.schemas).find(([version]) => version === '3.0.0') ?? [];
  // They are a part of it and known to ajv, which takes no schema twice; the parser of AsyncAPI takes them out as well.
  const { definitions, ...rest } = structuredClone(schema) as { definitions: Record<string, object> };
  delete definitions['http://json-schema.org/draft-07/schema'];
  delete definitions['http://json-schema.org/draft-04/schema'];
  return ajv.compile({ ...rest, definitions });
})();

/** What of a document is not as the schema of AsyncAPI itself says. */
function problemsOf(text: string): unknown {
  return check(JSON.parse(text)) ? [] : check.errors;
}

function sample(name: string): ReturnType<typeof imported> {
  const file = fileURLToPath(new URL(`../../imports/test/samples/asyncapi/${name}`, import.meta.url));
  return imported(readFileSync(file), name);
}

describe('AsyncAPI', () => {
  it.each([
    'rpc-server.yaml',
    'streetlights-kafka.yaml',
    'streetlights-mqtt.yaml',
    'adeo-kafka-request-reply.yaml',
    'kraken-websocket.yaml',
  ])('is a document that AsyncAPI accepts, of what %s has made', async (name) => {
    const host = await running(KINDS, sample(name), afterThis);
    const { text } = await exported(host, 'asyncapi');
    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(text.replace('"receive"', '"take"').replace('"send"', '"take"'))).not.toEqual([]);
  });

  it('says again the mocks of brokers that it can say', async () => {
    const protocols = {
      kafka: {
        topics: [{ name: 'orders', partitions: 3 }, { name: 'replies' }],
        mocks: [
          {
            id: 'order',
            topic: 'orders',
            value: { json: { partial: { type: 'new' } } },
            response: {
              topic: 'replies',
              key: '{{request.key}}',
              json: { ok: true },
              headers: { source: 'mock' },
            },
          },
          { id: 'cancelled', topic: 'orders', value: { json: { partial: { type: 'cancelled' } } } },
        ],
      },
      mqtt: {
        mocks: [
          {
            id: 'light',
            topic: 'light/{id}/set',
            response: {
              topic: 'light/{{request.params.id}}/state',
              json: { on: true },
              content_type: 'application/json',
              qos: 1,
            },
          },
        ],
      },
      nats: {
        mocks: [{ id: 'sum', subject: 'math.sum', queue_group: 'workers', response: { payload: '7' } }],
      },
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
    };
    const reactions = [
      {
        id: 'measured',
        on: { state: { key: 'send', value: 'measured' } },
        do: [{ mqtt: { topic: 'light/measured', json: { lumens: 42 }, content_type: 'application/json' } }],
      },
    ];
    const host = await running(KINDS, { protocols, reactions }, afterThis);
    const { text, report } = await exported(host, 'asyncapi');
    expect(problemsOf(text)).toEqual([]);
    expect(report).toMatchObject({ approximated: [], refused: [] });
    const again = imported(text);
    expect(again.protocols).toEqual(protocols);
    expect(again.reactions).toEqual(reactions);
  });

  it('leaves out what no document can say, and says why', async () => {
    const host = await running(
      KINDS,
      {
        protocols: {
          mqtt: {
            mocks: [
              { id: 'all', topic: 'a/#' },
              { id: 'one', topic: 'b/+', payload: 're:^x' },
            ],
          },
        },
      },
      afterThis,
    );
    const { report, text } = await exported(host, 'asyncapi');
    expect(problemsOf(text)).toEqual([]);
    expect(report.refused).toMatchObject([{ place: 'all' }]);
    expect(report.approximated.map(({ message }) => message)).toEqual([
      '"+" in an address is written as a parameter',
      'a pattern of a payload is left out: any message is taken',
    ]);
  });
});
