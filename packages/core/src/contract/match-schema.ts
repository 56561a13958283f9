import { Type, type TObject } from '@sinclair/typebox';
import { patternField } from '../patterns/pattern-schema.js';
import type { Protocol } from './protocol.js';

/** The match of a kind whose mocks do not say what messages they are for. */
const LOGGED_FIELDS = {
  method: Type.Optional(patternField('What the journal shows as the method, as a pattern; absent is any.')),
  path: Type.Optional(patternField('What the journal shows as the path, as a pattern; absent is any.')),
};

/** The schema of the fields of `match` in a kind's fault: the matching half of its mocks, all of it optional. */
export function matchSchemaOf({ mocks }: Protocol): TObject {
  const { matching, schema } = mocks;
  const closed = {
    additionalProperties: false,
    description:
      'Which messages the fault is for: the fields by which a mock says that. Messages that do not match are left alone; without it all are hit.',
  };
  if (matching === undefined) return Type.Object(LOGGED_FIELDS, closed);
  const fields = matching.fields.map((name) => {
    const field = matching.schema?.[name] ?? schema.properties[name];
    if (field === undefined) throw new TypeError(`mocks have no field "${name}" for the match of a fault`);
    return [name, Type.Optional(field)] as const;
  });
  return Type.Object(Object.fromEntries(fields), closed);
}
