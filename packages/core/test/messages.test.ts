import { describe, expect, it } from '@jest/globals';
import { Type } from '@sinclair/typebox';
import { choiceOf } from '../src/content/content-fields.js';
import { createValidator } from '../src/validation/validator.js';
import { CORE_MOCK_FIELDS, STREAM_FAULT_FIELDS } from '../src/contract/schema.js';
import { PatternSchema } from '../src/patterns/pattern.js';

const { check } = createValidator(
  Type.Object(
    {
      ...CORE_MOCK_FIELDS,
      ...STREAM_FAULT_FIELDS,
      match: Type.Optional(PatternSchema),
      color: Type.Optional(
        choiceOf(['red', 'blue'], { description: '', elsewhere: { hot: 'heat is the field status' } }),
      ),
      status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
      list: Type.Optional(
        Type.Array(Type.Object({ data: Type.String() }, { additionalProperties: false }), { minItems: 1 }),
      ),
    },
    { additionalProperties: false },
  ),
);

describe('the words for what is wrong', () => {
  it.each([
    [{ status: 99 }, '/status', 'must be >= 100, got 99'],
    [{ status: 'a' }, '/status', 'must be an integer, got "a"'],
    [{ phase: 'x' }, '/phase', 'must be one of "message", "connect", "login", got "x"'],
    [{ color: 'hot' }, '/color', 'must be one of "red", "blue", got "hot"; heat is the field status'],
    [{ color: 'toString' }, '/color', 'must be one of "red", "blue", got "toString"'],
    [{ state: 5 }, '/state', 'must be an object or an array, got 5'],
    [{ state: { key: 'a', valeu: 'b' } }, '/state/valeu', 'unknown field "valeu"; did you mean "value"?'],
    [{ state: [{ key: 5 }] }, '/state/0/key', 'must be a string, got 5'],
    [{ match: 7 }, '/match', 'must be a string or an object, got 7'],
    [{ match: { contians: 'x' } }, '/match/contians', 'unknown field "contians"; did you mean "contains"?'],
    [{ set_state: { a: [1] } }, '/set_state/a', 'must be a string or null, got a list'],
    [{ list: [] }, '/list', 'must hold at least 1, got a list'],
    [{ list: [{}] }, '/list/0/data', '"data" is required'],
    [{ id: '' }, '/id', 'must not be empty'],
    [[], '', 'must be an object, got a list'],
  ])('%j', (value, path, message) => {
    expect(check(value)).toEqual([{ path, message }]);
  });

  it('names every problem once, up to a hundred', () => {
    expect(check({ status: 1, phase: 1, nope: 1 })).toHaveLength(3);
    expect(check({ list: Array.from({ length: 500 }, () => ({})) })).toHaveLength(100);
  });
});
