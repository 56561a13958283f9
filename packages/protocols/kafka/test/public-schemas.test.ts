import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { eventually } from '@backlot/conformance';
import { Ajv, type AnySchemaObject } from 'ajv';
import { startRegistry } from './registry-support.js';
import { connectKafkaJs, startConsumer, startProducer } from './support.js';

const read = (name: string): string => readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8');

/** The library knows of JSON Schema no other version than 7 by itself. */
const DRAFT_6 = JSON.parse(
  readFileSync(new URL('../node_modules/ajv/dist/refs/json-schema-draft-06.json', import.meta.url), 'utf8'),
) as AnySchemaObject;

const INTEROP = {
  intField: 7,
  longField: 1234567890,
  stringField: 'hello',
  boolField: true,
  floatField: 0.5,
  doubleField: -1.25,
  nullField: null,
  arrayField: [1, 2.5],
  mapField: { a: { label: 'first' } },
  enumField: 'B',
  recordField: { label: 'root', children: [{ label: 'leaf', children: [] }] },
};
/** Octets are buffers in the library, and texts in JSON. */
const IN_LIBRARY = {
  ...INTEROP,
  bytesField: Buffer.from([1, 255]),
  unionField: 2.5,
  fixedField: Buffer.alloc(16, 0x41),
};
const IN_JSON = {
  ...INTEROP,
  bytesField: '\u0001\u00ff',
  unionField: 2.5,
  fixedField: 'A'.repeat(16),
};
const COOKIE = { name: 'session', value: 'abc', expires: '2026-01-01T00:00:00Z', httpOnly: true };

const CASES = [
  ['interop.avsc of Apache Avro', SchemaType.AVRO, 'avro', read('interop.avsc'), IN_LIBRARY, IN_JSON],
  ['cookie.json of har-schema', SchemaType.JSON, 'json', read('cookie.json'), COOKIE, COOKIE],
] as const;

describe('schemas that others made', () => {
  it.each(CASES)('reads and writes values of %s', async (_name, type, kind, schema, value, shown) => {
    const running = await startRegistry(
      { schemas: [{ subject: 'theirs', type: kind, schema: JSON.parse(schema) }] },
      {
        topics: [{ name: 'in' }],
        mocks: [{ topic: 'out', records: [{ key: 'a', schema: 'theirs', json: shown }] }],
      },
    );
    const ajvInstance = new Ajv({ strict: false, validateFormats: false });
    ajvInstance.addMetaSchema(DRAFT_6);
    const registry = new SchemaRegistry(
      { host: running.url },
      { [SchemaType.JSON]: { ajvInstance: ajvInstance as never } },
    );
    const { id } = await registry.register({ type, schema } as never, { subject: 'theirs' });
    const client = connectKafkaJs(running);
    const { messages } = await startConsumer(client, 'g', ['out'], { maxWaitTimeInMs: 50 });
    await eventually(() => messages.length === 1);
    const written = messages[0]?.value ?? Buffer.alloc(0);
    expect(written.readInt32BE(1)).toBe(id);
    const decoded = (await registry.decode(written)) as Record<string, unknown>;
    expect({ ...decoded }).toEqual(value);
    const producer = await startProducer(client);
    await producer.send({ topic: 'in', messages: [{ key: 'k', value: await registry.encode(id, value) }] });
    const captures = (): { topic: string; value: string }[] =>
      [...(running.host.kind('kafka').captures?.values() ?? [])] as { topic: string; value: string }[];
    await eventually(() => captures().some(({ topic }) => topic === 'in'));
    const captured = captures().find(({ topic }) => topic === 'in');
    expect(JSON.parse(captured?.value ?? '')).toEqual(shown);
  });
});
