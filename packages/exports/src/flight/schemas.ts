import { createValidator } from '@backlot/core';
import { Type, type TSchema } from '@backlot/core/plugin';
import { FORMAT } from './format.js';

const loose = { additionalProperties: true } as const;
const texts = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]));
const status = Type.Union([Type.Integer(), Type.String()]);

const optional = (fields: Readonly<Record<string, TSchema>>): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));

const BODY = {
  body: Type.String(),
  body_encoding: Type.Literal('base64'),
  body_truncated: Type.Literal(true),
};

/** The first line. */
export const headerCheck = createValidator(
  Type.Object(
    {
      format: Type.Literal(FORMAT),
      version: Type.Integer({ minimum: 1 }),
      backlot: Type.String({ maxLength: 100 }),
      reason: Type.String({ maxLength: 1000 }),
      seed: Type.Number(),
      clock: Type.Object({ now: Type.String({ maxLength: 40 }), frozen: Type.Boolean() }, loose),
      has_secrets: Type.Boolean(),
      kinds: Type.Array(
        Type.Object(
          {
            kind: Type.String({ maxLength: 100 }),
            title: Type.String({ maxLength: 200 }),
            url: Type.Optional(Type.String({ maxLength: 2000 })),
          },
          loose,
        ),
        { maxItems: 1000 },
      ),
    },
    loose,
  ),
);

const kind = Type.String({ minLength: 1, maxLength: 100 });
const anything = Type.Unknown();

/** An entry of the log, in all that the page and filters read of it. */
const EntrySchema = Type.Object(
  {
    id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
    timestamp: Type.String({ maxLength: 40 }),
    protocol: kind,
    method: Type.String(),
    path: Type.String(),
    duration_ms: Type.Integer({ minimum: 0 }),
    remote: Type.String(),
    ...optional({
      ...BODY,
      status,
      space: Type.String(),
      trace: Type.String(),
      headers: texts,
      query: texts,
      matched_id: Type.String(),
      path_params: Type.Record(Type.String(), Type.String()),
      fault: Type.Literal(true),
      failure: Type.String(),
      unmatched: Type.Literal(true),
      missed: Type.Literal(true),
      aborted: Type.Literal(true),
      delays: Type.Object(optional({ mock_ms: Type.Number(), fault_ms: Type.Number() }), loose),
      near_misses: Type.Array(Type.Object({ mock_id: Type.String(), reason: Type.String() }, loose)),
      response: Type.Object(optional({ ...BODY, status, headers: texts }), loose),
      upstream: Type.Object(
        optional({
          answered: Type.Boolean(),
          recorded_id: Type.String(),
          patterns: Type.Array(Type.String()),
          differences: Type.Array(Type.String()),
        }),
        loose,
      ),
      span: Type.Object(
        {
          trace: Type.String(),
          id: Type.String(),
          name: Type.String(),
          kind: Type.String(),
          service: Type.String(),
          status: Type.String(),
          start: Type.String({ pattern: '^[0-9]{1,20}$' }),
          end: Type.String({ pattern: '^[0-9]{1,20}$' }),
          attributes: Type.Record(Type.String(), anything),
          resource: Type.Record(Type.String(), anything),
          scope: Type.Object({ name: Type.String() }, loose),
        },
        loose,
      ),
    }),
  },
  loose,
);

const at = Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 10 });
const pair = Type.Array(Type.String({ minLength: 1 }), { minItems: 2, maxItems: 2 });
const closed = { additionalProperties: false } as const;

/** What a line may be, by its first field. */
export const lineChecks: Readonly<Record<string, ReturnType<typeof createValidator>>> = {
  at: createValidator(
    Type.Object({ at, value: Type.Optional(anything), item: Type.Optional(anything) }, closed),
  ),
  fault: createValidator(Type.Object({ fault: kind, value: anything }, closed)),
  incident: createValidator(
    Type.Object(
      {
        incident: Type.String({ minLength: 1, maxLength: 200 }),
        value: Type.Record(Type.String(), anything),
        elapsed: Type.Integer({ minimum: 0 }),
      },
      closed,
    ),
  ),
  captured: createValidator(
    Type.Object({ captured: kind, value: Type.Record(Type.String(), anything) }, closed),
  ),
  data: createValidator(Type.Object({ data: pair, value: Type.Record(Type.String(), anything) }, closed)),
  calls: createValidator(Type.Object({ calls: pair, count: Type.Integer({ minimum: 0 }) }, closed)),
  entry: createValidator(Type.Object({ entry: EntrySchema }, closed)),
  left_out: createValidator(Type.Object({ left_out: Type.String({ maxLength: 1000 }) }, closed)),
  end: createValidator(Type.Object({ end: Type.Integer({ minimum: 1 }) }, closed)),
};
