import { Type, type TSchema } from '@backlot/core/plugin';

/** What a file may say of one service; `mock` is the schema of its mocks. */
function changesSchema<Mock extends TSchema>(mock: Mock) {
  return Type.Object(
    {
      port: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 65_535,
          description:
            'A port of its own; 0 takes a free one. That of the service when absent, if it has one.',
        }),
      ),
      rows: Type.Optional(
        Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown())), {
          description:
            'Further rows by the name of the collection, such as `customers`; one with the key of a row that is there takes its place.',
        }),
      ),
      vars: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Values in place of those that the service has for its templates.',
        }),
      ),
      mocks: Type.Optional(
        Type.Array(mock, {
          description:
            'HTTP mocks that are asked before those of the service; one with an id of the service takes its place.',
        }),
      ),
      scenarios: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          description: 'Scenarios of the service that are active from the start, such as `outage`.',
        }),
      ),
    },
    { additionalProperties: false },
  );
}

/** What a file may say under `services`. */
export function servicesSchema(mock: TSchema = Type.Unknown()) {
  return Type.Union(
    [
      Type.Array(Type.String({ minLength: 1 }), { title: 'a list of names' }),
      Type.Record(Type.String({ minLength: 1 }), changesSchema(mock), { title: 'an object by name' }),
    ],
    { description: 'Services that applications call, by name; `backlot services` lists them.' },
  );
}

/** What a file says of one service; see {@link servicesSchema}. */
export interface ServiceChanges {
  readonly port?: number;
  readonly rows?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly mocks?: readonly unknown[];
  readonly scenarios?: readonly string[];
}
