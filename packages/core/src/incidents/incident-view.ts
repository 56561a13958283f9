import { Type } from '@sinclair/typebox';
import type { IncidentDeclaration, RunningIncident } from '../contract/incident.js';
import type { Json } from '../contract/json.js';
import type { TObject } from '../contract/shape.js';
import type { IncidentRun } from './incident-run.js';

/** An incident that runs, as far as it is shown. */
export interface ShownRun {
  readonly fields: Json;
  readonly beganAt: number;
  readonly endsAt: number;
  readonly runs: readonly IncidentRun[];
}

/** What people see of an incident that runs. */
export function runningViewOf({ fields, beganAt, endsAt, runs }: ShownRun): RunningIncident {
  return {
    fields,
    began_at: new Date(beganAt).toISOString(),
    ends_at: new Date(endsAt).toISOString(),
    stages: Object.fromEntries(runs.map((run) => [run.kind.kind, run.number])),
  };
}

const schemas = new WeakMap<IncidentDeclaration, TObject>();

/** The schema of what `start` takes for an incident. */
export function givenSchemaOf(declaration: IncidentDeclaration): TObject {
  let schema = schemas.get(declaration);
  if (schema === undefined) {
    const lasts = Type.String({
      default: declaration.lasts,
      description: 'How long it lasts, a duration such as `30s`, by the clock of the server.',
    });
    schema = Type.Object(
      { for: Type.Optional(lasts), ...declaration.fields?.properties },
      { additionalProperties: false },
    );
    schemas.set(declaration, schema);
  }
  return schema;
}
