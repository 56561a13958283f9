import { describe, expect, it } from '@jest/globals';
import { Type } from '@sinclair/typebox';
import { placeBytes } from '../src/mocks/answer-bytes.js';

const text = Type.Optional(Type.String());
const schema = Type.Object({
  response: Type.Optional(
    Type.Union([Type.String(), Type.Object({ body: text, body_base64: text, json: Type.Unknown() })]),
  ),
  list: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Object({ data: text, data_base64: text })])),
  ),
  body: text,
  body_base64: text,
  binary: text,
});
const BYTES = Buffer.from([0, 255, 1]);

describe('bytes that a function returns', () => {
  it('stand where their base64 would, and are checked as a text', () => {
    const given = {
      response: { status: 200, body: BYTES, headers: { a: 'b' } },
      list: ['text', { data: new Uint8Array(BYTES) }],
      body_base64: BYTES,
      binary: BYTES,
    };
    const { whole, shown } = placeBytes(given, schema);
    expect(whole).toEqual({
      response: { status: 200, body_base64: BYTES, headers: { a: 'b' } },
      list: ['text', { data_base64: BYTES }],
      body_base64: BYTES,
      binary: BYTES,
    });
    expect(shown).toEqual({
      response: { status: 200, body_base64: '', headers: { a: 'b' } },
      list: ['text', { data_base64: '' }],
      body_base64: '',
      binary: '',
    });
  });

  it('are copied, and nothing of the answer can be changed', () => {
    const own = Buffer.from(BYTES);
    const { whole } = placeBytes({ response: { body: own, headers: { a: 'b' } } }, schema);
    own.fill(7);
    const { response } = whole as { response: { body_base64: Buffer; headers: object } };
    expect(response.body_base64).toEqual(BYTES);
    expect([Object.isFrozen(whole), Object.isFrozen(response), Object.isFrozen(response.headers)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('change no prototype, whatever fields are called', () => {
    const { shown } = placeBytes(
      JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as Record<string, unknown>,
      schema,
    );
    expect(Object.keys(shown)).toEqual(['__proto__', 'b']);
    const { whole } = placeBytes(
      {
        ...(JSON.parse('{"a": {"__proto__": {"polluted": 1}}}') as object),
        body: BYTES,
      },
      schema,
    );
    expect(Object.getPrototypeOf(whole['a'])).toBe(Object.prototype);
  });

  it.each([
    [{ response: { json: { picture: BYTES } } }, '/response/json/picture takes no bytes'],
    [{ response: BYTES }, '/response takes no bytes'],
    [{ list: ['a', BYTES] }, '/list/1 takes no bytes'],
    [{ body: BYTES, body_base64: 'AAEC' }, '/body holds bytes, beside which body_base64 cannot stand'],
  ])('are refused in %j', (given, reason) => {
    expect(() => placeBytes(given, schema)).toThrow(reason);
  });
});
