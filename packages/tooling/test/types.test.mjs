import { describe, expect, it } from '@jest/globals';
import { tsdoc } from '../generate/types/comments.mjs';
import { oneOf, pascal } from '../generate/types/names.mjs';
import { TypeWriter } from '../generate/types/writer.mjs';

/**
 * @param {import('../generate/types/writer.mjs').Schema} schema
 * @param {(writer: TypeWriter) => void} [prepare]
 */
const write = (schema, prepare = () => {}) => {
  const writer = new TypeWriter('Gopher');
  prepare(writer);
  writer.addInterface('GopherMock', schema, 'A mock.');
  return writer.text;
};

/** @param {import('../generate/types/writer.mjs').Schema} schema */
const typeOf = (schema) => new TypeWriter('Gopher').typeOf(schema, { parent: 'GopherMock', key: 'field' });

describe('the types of a schema', () => {
  it('have the text of each field, what counts without it, and a name for each object', () => {
    const event = {
      type: 'object',
      required: ['data'],
      properties: { data: { type: 'string', description: 'The text.' } },
    };
    const text = write({
      required: ['path'],
      properties: {
        path: { type: 'string', description: 'All of `/*/x`.' },
        size: { type: 'integer', description: 'How many.', default: 3 },
        events: { type: 'array', items: event, description: 'In order.' },
        last: { ...event, description: 'The last one.' },
      },
    });
    expect(text).toBe(
      `/** A mock. */
export interface GopherMock {
/** All of \`/*\\/x\`. */
readonly "path": string;

/**
 * How many.
 *
 * @defaultValue \`3\`
 */
readonly "size"?: number;

/** In order. */
readonly "events"?: readonly (GopherEvent)[];

/** The last one. */
readonly "last"?: GopherEvent;
}

/** One of \`events\` of {@link GopherMock}. */
export interface GopherEvent {
/** The text. */
readonly "data": string;
}
`.replaceAll(';\n\n/**', ';\n/**'),
    );
  });

  it('are those of TypeScript', () => {
    const types = [
      { const: 'a' },
      { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }] },
      { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'boolean' }] } },
      { type: 'object', patternProperties: { '^(.*)$': { type: 'string' } } },
      { type: 'object', properties: {} },
      { type: 'string', examples: ['GET', 'PUT'] },
      {},
    ];
    expect(types.map(typeOf)).toEqual([
      '"a"',
      'string | null',
      'readonly (number | boolean)[]',
      'Readonly<Record<string, string>>',
      'Readonly<Record<string, unknown>>',
      '"GET" | "PUT" | (string & {})',
      'unknown',
    ]);
    expect(() => typeOf({ type: 'date' })).toThrow('GopherMock.field: no type for a schema of type "date"');
  });

  it('take the names of what is known, and none twice', () => {
    const range = { type: 'object', properties: { min: { type: 'string' } } };
    const fault = { type: 'object', properties: { code: { type: 'integer' } } };
    const text = write({ properties: { delay: { ...range, description: 'A delay.' }, fault } }, (writer) => {
      writer.know('DelayRange', range);
      writer.know('GopherFault');
    });
    expect(text).toContain('"delay"?: DelayRange;');
    expect(text).toContain('"fault"?: GopherMockFault;');
    expect(text).not.toContain('interface DelayRange');
  });

  it('have names and comments that can be read', () => {
    expect(['v3_users', 'http', 'set-state'].map(pascal)).toEqual(['V3Users', 'Http', 'SetState']);
    expect(['events', 'entries', 'addresses', 'sequence', 'class'].map(oneOf)).toEqual([
      'event',
      'entry',
      'address',
      'sequence_item',
      'class_item',
    ]);
    expect(tsdoc('word '.repeat(30).trim()).split('\n').length).toBeGreaterThan(4);
    expect(tsdoc(undefined)).toBe('');
  });
});
