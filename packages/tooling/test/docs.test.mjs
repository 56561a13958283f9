import { describe, expect, it } from '@jest/globals';
import { anchor, table } from '../generate/docs/markdown.mjs';
import { fillPage } from '../generate/docs/protocol-pages.mjs';
import { rowsOf, typeOf } from '../generate/docs/schema-rows.mjs';

const LINKS = {
  pattern: 'patterns.md',
  delay: 'delays.md',
  schema: (/** @type {string} */ name) => `#${name}`,
};
const PATTERN = { $ref: '#/$defs/Pattern' };

describe('tables of a schema', () => {
  it('have a row for each field, those inside objects and lists by their path', () => {
    const schema = {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string', description: 'Which.' },
        tls: { type: 'object', properties: { mode: { enum: ['on', 'off'], default: 'on' } } },
        events: { type: 'array', items: { type: 'object', properties: { data: PATTERN } } },
      },
    };
    expect(rowsOf(schema, LINKS)).toEqual([
      ['`id`', 'string', 'required', 'Which.'],
      ['`tls`', 'object', '', ''],
      ['`tls.mode`', '`on`, `off`', '`on`', ''],
      ['`events`', 'list of objects', '', ''],
      ['`events[].data`', '[pattern](patterns.md)', '', ''],
    ]);
  });

  it('say what a value may be', () => {
    const reference = { type: 'string', pattern: '\\$\\{' };
    const types = [
      { type: 'integer', minimum: 0, maximum: 9 },
      { anyOf: [{ type: 'integer', minimum: 1 }, reference] },
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      { anyOf: [{ const: 'a' }, { const: 'b' }] },
      { type: 'object', patternProperties: { '^.*$': { type: 'string' } } },
      { $ref: '#/components/schemas/Calls' },
      { type: 'object', patternProperties: { '^.*$': { $ref: '#/components/schemas/Place' } } },
      {},
    ];
    expect(types.map((type) => typeOf(type, LINKS))).toEqual([
      'integer, 0 to 9',
      'integer, 1 or more',
      'string or list of strings',
      '`a`, `b`',
      'map of strings',
      '[Calls](#Calls)',
      'map of [patterns](patterns.md) or values',
      'any',
    ]);
  });

  it('leave out empty columns and keep bars', () => {
    expect(table(['A', 'B', 'C'], [['x|y', '', 'z']])).toBe('| A | C |\n| --- | --- |\n| x\\|y | z |');
    expect(anchor('GET /api/mocks/{id}')).toBe('get-apimocksid');
  });
});

describe('the page of a protocol', () => {
  const tables = new Map([['config', 'new']]);

  it('keeps what stands around the tables', () => {
    const page = 'a\n<!-- generated:config -->\nold\n<!-- /generated -->\nb';
    const filled = 'a\n<!-- generated:config -->\n\nnew\n\n<!-- /generated -->\nb';
    expect(fillPage(page, tables, 'x.md')).toBe(filled);
    expect(fillPage(filled, tables, 'x.md')).toBe(filled);
  });

  it('has every table, and no others', () => {
    expect(() => fillPage('a', tables, 'x.md')).toThrow('x.md: the table "config" is missing');
    expect(() => fillPage('<!-- generated:typo --><!-- /generated -->', tables, 'x.md')).toThrow(
      'there is no table "typo"; there are config',
    );
  });
});
