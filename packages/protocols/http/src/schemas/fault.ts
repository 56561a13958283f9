import { FAULT_TIMING_FIELDS, jsonField, textField, Type, type ValueOf } from '@backlot/core/plugin';
import { BrokenSchema } from './broken.js';

/** What the fault of the kind and that of one mock do alike. */
const errorFields = {
  status: Type.Optional(
    Type.Integer({ minimum: 200, maximum: 599, description: 'The status of the error; 503 when absent.' }),
  ),
  status_override: Type.Optional(
    Type.Integer({
      minimum: 200,
      maximum: 599,
      description: 'Another name for `status`; where both are given, this one counts.',
    }),
  ),
  body: textField({ description: 'The body of the error; `{"error":"fault injected"}` when absent.' }),
  json: jsonField('body', 'The body of the error as a JSON value, in place of `body`.'),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
      description: 'Further headers of the error; a list sends the field once per value.',
    }),
  ),
  abort: Type.Optional(Type.Boolean({ description: 'Resets the connection instead of an answer.' })),
  truncate_body: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Announces the whole body, sends this many bytes of it and closes the connection.',
    }),
  ),
  broken: Type.Optional(BrokenSchema),
};

/** The fault of the kind. */
export const FaultSchema = Type.Object(errorFields, { additionalProperties: false });

/** The fault of one mock. */
export const MockFaultSchema = Type.Object(
  {
    ...FAULT_TIMING_FIELDS,
    ...errorFields,
    enabled: Type.Optional(Type.Boolean({ description: 'Accepted and ignored.' })),
  },
  {
    additionalProperties: false,
    description: 'A fault of this mock alone; with nothing but delays it only slows the answer down.',
  },
);

/** See {@link MockFaultSchema}. */
export type MockFaultDefinition = ValueOf<typeof MockFaultSchema>;
/** See {@link FaultSchema}. */
export type FaultFields = ValueOf<typeof FaultSchema>;
