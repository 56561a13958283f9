import { closedObject, patternField, Type } from '@backlot/core/plugin';

/** What `protocols.__kind__` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  unmatched: Type.Optional(
    Type.String({
      default: 'ERROR no mock matched',
      description: 'The line that answers what no mock matches.',
    }),
  ),
});

/** A mock's own fields. */
export const MockSchema = closedObject({
  match: Type.Optional(patternField('The line, as a pattern; absent is any line.')),
  response: Type.String({ description: 'The line that is sent back; a template.' }),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  response: Type.Optional(Type.String({ description: 'The line that is sent in place of the answer.' })),
  close: Type.Optional(Type.Boolean({ description: 'Close the connection in place of an answer.' })),
});
