import { Type } from '@sinclair/typebox';

const closed = { additionalProperties: false };
const PLACE = 'Places in a row, such as `status` or `address.city`';

/** A collection as a configuration declares it. */
export const CollectionSchema = Type.Object(
  {
    key: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'id',
        description: 'The name of the field that holds the key of a row, unique in the collection.',
      }),
    ),
    id: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Number()], {
        description:
          'A template for the key of a row that is created without one; a random UUID when absent.',
      }),
    ),
    set: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Fields that each new row gets unless it has them: a template, which sees the new row as `row`.',
        },
      ),
    ),
    rows: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), {
        description: 'The rows at the start and after a reset.',
      }),
    ),
  },
  closed,
);

/** Which row: its key as a template, or `true` for what `where` finds. */
const which = (description: string) =>
  Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Literal(true)], { description }));
const number = (description: string) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.String()], { description }));

/** What a mock does with a collection when it matches. */
export const OperationSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 512, description: 'The name of the collection.' }),
    as: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'A name by which the templates of the mock and of the operations after this one see the row, or the rows of a list.',
      }),
    ),
    create: which('Adds a row: its key, or `true` for the key in `value` or one that is made up.'),
    get: which('Reads a row: its key, or `true` for the first one of `where`.'),
    update: which(
      'Puts the fields of `value` over a row (RFC 7396): its key, or `true` for the first one of `where`.',
    ),
    replace: which('Puts `value` in place of a row: its key, or `true` for the first one of `where`.'),
    upsert: which('Updates the row with this key, or creates it; `true` takes the key in `value`.'),
    delete: which('Removes a row: its key, or `true` for the first one of `where`.'),
    take: Type.Optional(
      Type.Literal(true, {
        description: 'Takes the first row of `where`, or as many as `limit` says, out of the collection.',
      }),
    ),
    list: Type.Optional(Type.Literal(true, { description: 'Reads the rows of `where`, in order.' })),
    value: Type.Optional(
      Type.Union([Type.String(), Type.Object({}, { additionalProperties: true })], {
        description: 'The fields of the row: a template that gives an object, such as `{{request.body}}`.',
      }),
    ),
    where: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: `${PLACE}, and what must be there: a value, a pattern, or a template of the value. \`5\` is the number; a text and what a template gives are the number or the text.`,
      }),
    ),
    sort: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })], {
        description:
          'Fields to sort by, the most important first: `name` ascends, `-name` descends. Templates; when absent, rows are in the order of creation.',
      }),
    ),
    limit: number('How many rows are given: a number or a template; at most 10,000. `take`: 1 when absent.'),
    offset: number('How many rows are left out before them: a number or a template.'),
    after: Type.Optional(
      Type.String({ description: 'The key of a row, a template: the list begins behind that row.' }),
    ),
    hide: Type.Optional(
      Type.String({
        description:
          '`take`: the row is hidden for this long, a duration, instead of removed; it is back afterwards unless it was removed by its key.',
      }),
    ),
  },
  closed,
);

/** By which key the first answer of a mock is given again. */
export const OnceSchema = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      description:
        'A template: a message with the same key gets the first answer again, without effects. Nothing is repeated for an empty key.',
    }),
    same: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A template: a message for which it gives something else than for the first message with the key is not matched.',
      }),
    ),
  },
  closed,
);
