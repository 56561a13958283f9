import { describe, expect, it } from '@jest/globals';
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { startRegistry } from './registry-support.js';
import { connectKafkaJs, startConsumer, startProducer } from './support.js';

const ORDER = {
  type: 'record',
  name: 'Order',
  namespace: 'shop',
  fields: [
    { name: 'id', type: 'long' },
    { name: 'note', type: ['null', 'string'], default: null },
    { name: 'tags', type: { type: 'array', items: 'string' }, default: [] },
    { name: 'total', type: 'double', default: 0 },
    { name: 'state', type: { type: 'enum', name: 'State', symbols: ['NEW', 'PAID'] } },
    { name: 'more', type: { type: 'map', values: 'int' }, default: {} },
  ],
};
const EVENT = {
  type: 'object',
  properties: { id: { type: 'integer' }, note: { type: 'string' } },
  required: ['id'],
};
const PROTO = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
message Line { string sku = 1; int32 count = 2; }
message Receipt { int64 id = 1; repeated Line lines = 2; google.protobuf.Timestamp at = 3; }`;

describe('@kafkajs/confluent-schema-registry', () => {
  const order = { id: 7, note: 'hello', tags: ['a', 'b'], total: 1.5, state: 'PAID', more: { x: 1 } };
  const cases = [
    ['AVRO', SchemaType.AVRO, JSON.stringify(ORDER), order, order],
    ['JSON', SchemaType.JSON, JSON.stringify(EVENT), { id: 7, note: 'hello' }, { id: 7, note: 'hello' }],
    [
      'PROTOBUF',
      SchemaType.PROTOBUF,
      'syntax = "proto3"; package shop; message Order { int64 id = 1; string note = 2; }',
      { id: 7, note: 'hello' },
      { id: '7', note: 'hello' },
    ],
  ] as const;

  it.each(cases)('registers %s; mocks match what it encodes', async (_name, type, schema, value, shown) => {
    const running = await startRegistry(
      {},
      {
        topics: [{ name: 'in' }],
        mocks: [
          {
            id: 'm',
            topic: 'in',
            value: { json: { partial: { note: 'hello' } } },
            response: { topic: 'out', value: '{{request.body.id}} by {{request.schema_id}}' },
          },
          { topic: 'in', response: { topic: 'out', value: 'other' } },
        ],
      },
    );
    const registry = new SchemaRegistry({ host: running.url });
    const { id } = await registry.register({ type, schema } as never, { subject: 'in-value' });
    const client = connectKafkaJs(running);
    const producer = await startProducer(client);
    const sent = await registry.encode(id, value);
    await producer.send({ topic: 'in', messages: [{ key: 'k', value: sent }] });
    const { messages } = await startConsumer(client, 'g', ['in', 'out'], { maxWaitTimeInMs: 50 });
    await eventually(() => messages.length === 2);
    const out = messages.find(({ topic }) => topic === 'out');
    expect(String(out?.value)).toBe(`7 by ${id}`);
    // Consumers are given what was produced.
    const kept = messages.find(({ topic }) => topic === 'in')?.value;
    expect(kept?.equals(sent)).toBe(true);
    const [captured] = (running.host.kind('kafka').captures?.values() ?? []) as { value: string }[];
    expect(captured).toMatchObject({ key: 'k', value_schema_id: id });
    expect(JSON.parse(captured?.value ?? '')).toEqual(shown);
    expect(JSON.stringify(running.host.journal.list({ protocol: 'kafka' }))).toContain('hello');
  });

  it('reads what mocks encode', async () => {
    const schemas = [
      { subject: 'order', schema: ORDER },
      { subject: 'event', type: 'json', schema: EVENT },
      { subject: 'receipt', type: 'protobuf', schema: PROTO },
    ];
    const running = await startRegistry(
      { schemas },
      {
        topics: [{ name: 'in' }],
        mocks: [
          {
            topic: 'orders',
            records: [{ key: 'a', schema: 'order', json: { id: 1, note: 'seeded', state: 'NEW' } }],
          },
          {
            topic: 'in',
            key: 'event',
            response: { topic: 'events', schema: 'event', json: { id: '{{request.body.id}}' } },
          },
          {
            topic: 'in',
            key: 'receipt',
            response: {
              topic: 'receipts',
              schema: 'receipt',
              json: { '@type': 'Receipt', id: 5, lines: [{ sku: 's', count: 2 }] },
            },
          },
        ],
      },
    );
    const client = connectKafkaJs(running);
    const producer = await startProducer(client);
    const messages = ['event', 'receipt'].map((key) => ({ key, value: '{"id":9}' }));
    await producer.send({ topic: 'in', messages });
    const read = await startConsumer(client, 'g', ['orders', 'events', 'receipts'], { maxWaitTimeInMs: 50 });
    await eventually(() => read.messages.length === 3);
    const registry = new SchemaRegistry({ host: running.url });
    const decoded = new Map<string, unknown>();
    for (const { topic, value } of read.messages) {
      if (topic !== 'receipts') decoded.set(topic, await registry.decode(value ?? Buffer.alloc(0)));
    }
    expect(decoded.get('orders')).toEqual({
      id: 1,
      note: 'seeded',
      tags: [],
      total: 0,
      state: 'NEW',
      more: {},
    });
    expect(decoded.get('events')).toEqual({ id: 9 });
    const receipt = read.messages.find(({ topic }) => topic === 'receipts')?.value;
    // The second message: one index, 1; then id 5 and a line.
    expect(receipt?.subarray(5).toString('hex')).toBe('0202' + '0805' + '12050a01731002');
  });
});

const PYTHON = `
import sys
from confluent_kafka.schema_registry import SchemaRegistryClient, Schema
from confluent_kafka.schema_registry.error import SchemaRegistryError
client = SchemaRegistryClient({'url': sys.argv[1]})
first = Schema('{"type":"record","name":"R","fields":[{"name":"id","type":"int"}]}', 'AVRO')
wrong = Schema('{"type":"record","name":"R","fields":[{"name":"no","type":"int"}]}', 'AVRO')
print(client.register_schema('s', first))
print(client.get_schema(1).schema_str)
print(client.lookup_schema('s', first).version)
print(client.get_subjects(), client.get_versions('s'))
print(client.get_latest_version('s').schema_id, client.get_version('s', 1).subject)
try: client.register_schema('s', wrong)
except SchemaRegistryError as error: print(error.http_status_code, error.error_code)
try: client.get_schema(99)
except SchemaRegistryError as error: print(error.http_status_code, error.error_code)
print(client.set_compatibility('s', 'FULL'), client.get_compatibility('s'))
print(client.delete_version('s', 1))
`;

const PYTHON_PROTOBUF = `
import sys
from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import SerializationContext, MessageField
from google.protobuf import timestamp_pb2
registry = SchemaRegistryClient({'url': sys.argv[1]})
serialize = ProtobufSerializer(timestamp_pb2.Timestamp, registry)
value = serialize(timestamp_pb2.Timestamp(seconds=5, nanos=6), SerializationContext('in', MessageField.VALUE))
producer = Producer({'bootstrap.servers': sys.argv[2]})
producer.produce('in', value)
producer.flush()
`;

describe('confluent_kafka.schema_registry', () => {
  const tools = '/usr/bin/python3 python3:confluent_kafka python3:requests';

  itWithTool(tools, 'registers, looks up, is refused and deletes', async () => {
    const running = await startRegistry();
    const { code, out, err } = await runTool('/usr/bin/python3', ['-c', PYTHON, running.url]);
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out.trim().split('\n')).toEqual([
      '1',
      '{"type":"record","name":"R","fields":[{"name":"id","type":"int"}]}',
      '1',
      "['s'] [1]",
      '1 s',
      '409 409',
      '404 40403',
      "{'compatibility': 'FULL'} FULL",
      '1',
    ]);
  });

  itWithTool(
    `${tools} python3:google.protobuf`,
    'serializes Protobuf, whose schema it sends as a descriptor',
    async () => {
      const running = await startRegistry({}, { topics: [{ name: 'in' }] });
      const args = ['-c', PYTHON_PROTOBUF, running.url, running.address];
      const { code, err } = await runTool('/usr/bin/python3', args);
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      expect(running.host.kind('kafka').captures?.values()).toMatchObject([
        { value: '{"seconds":"5","nanos":6}', value_schema_id: 1 },
      ]);
    },
  );
});
