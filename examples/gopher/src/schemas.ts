import { closedObject, patternField, Type } from '@backlot/core/plugin';

const pattern = (description: string) => Type.Optional(patternField(description));

/** What `protocols.gopher` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  public_host: Type.Optional(
    Type.String({ minLength: 1, description: 'The host in menu lines; the one it listens on by default.' }),
  ),
});

/** A line of a menu. */
const ItemSchema = closedObject({
  title: Type.String({ description: 'What people see; a template.' }),
  type: Type.Optional(
    Type.String({
      pattern: '^[!-~]$',
      description: '0 a text, 1 a menu, 7 a search ...; by default 0 with a selector and i without.',
    }),
  ),
  selector: Type.Optional(Type.String({ description: 'What leads there; a template.' })),
  host: Type.Optional(Type.String({ minLength: 1, description: 'Where it is; this server by default.' })),
  port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535, description: 'The port there.' })),
});

/** A mock's own fields. */
export const MockSchema = closedObject({
  selector: pattern('The selector; absent is any.'),
  search: pattern('The words that are searched for; absent is any.'),
  text: Type.Optional(Type.String({ description: 'Answers with a text; a template.' })),
  menu: Type.Optional(Type.Array(ItemSchema, { description: 'Answers with a menu.' })),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  message: Type.Optional(Type.String({ description: 'The text of the error that is answered.' })),
  close: Type.Optional(Type.Boolean({ description: 'Close the connection in place of an answer.' })),
});
