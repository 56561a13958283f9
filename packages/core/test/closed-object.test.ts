import { describe, expect, it } from '@jest/globals';
import { closedObject, Type } from '../src/plugin.js';

describe('closedObject', () => {
  it('is an object without other properties, with what documents show of it', () => {
    const properties = { name: Type.String(), size: Type.Optional(Type.Integer()) };
    expect(closedObject(properties)).toEqual(Type.Object(properties, { additionalProperties: false }));
    expect(closedObject(properties, { description: 'A file.' })).toMatchObject({
      description: 'A file.',
      additionalProperties: false,
      required: ['name'],
    });
  });
});
