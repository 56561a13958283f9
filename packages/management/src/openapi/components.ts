import type { Host } from '@backlot/core';
import { ScenarioSchema, toxicSchemaOf } from '@backlot/core';
import { ReactionSchema, Type, type TSchema } from '@backlot/core/plugin';
import { CallsSchema, WaitSchema } from '../routes/calls.js';
import { ClockChangeSchema, ClockSchema } from '../routes/clock.js';
import { DataSectionSchema } from '../routes/data.js';
import { DryRunSchema } from '../routes/dry-run.js';
import { ExplanationSchema } from '../routes/explain.js';
import { LogEntrySchema, NearMissSchema } from '../routes/log-entry.js';
import { ClearedSchema, DeletedSchema, pascalCase } from '../routes/management-route.js';
import { ReactionViewSchema } from '../routes/reactions.js';
import { KindSchema } from '../routes/schemas.js';
import { SnapshotSchema } from '../routes/snapshots.js';
import { SpaceSchema } from '../routes/spaces.js';
import { StateSchema } from '../routes/state.js';
import { ConnectionCloseSchema, ConnectionSchema } from '../routes/connections.js';
import { StreamCloseSchema, StreamPushSchema, StreamSchema } from '../routes/streams.js';
import { ProtocolStatusSchema } from '../routes/system.js';
import { VerdictSchema } from '../routes/verify.js';
import { WebhookAttemptSchema, WebhookSendSchema } from '../routes/webhooks.js';
import { captureSchema, faultSchema, itemSchema, mockSchema } from './kind-schemas.js';

/** What every error answers. */
export const ErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'What was wrong, with the value, and what would be right.' }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'A JSON pointer into the body.' }),
          message: Type.String(),
        }),
        { description: 'One entry per problem of a body that is not valid.' },
      ),
    ),
  },
  { additionalProperties: true },
);

/** The schemas that have a name in the description. */
export function namedSchemas(host: Host): ReadonlyMap<TSchema, string> {
  const names = new Map<TSchema, string>([
    [ErrorSchema, 'Error'],
    [ProtocolStatusSchema, 'ProtocolStatus'],
    [LogEntrySchema, 'LogEntry'],
    [NearMissSchema, 'NearMiss'],
    [CallsSchema, 'Calls'],
    [WaitSchema, 'CallWait'],
    [ConnectionSchema, 'Connection'],
    [ConnectionCloseSchema, 'ConnectionClose'],
    [StreamSchema, 'Stream'],
    [StreamPushSchema, 'StreamPush'],
    [StreamCloseSchema, 'StreamClose'],
    [ScenarioSchema, 'Scenario'],
    [StateSchema, 'State'],
    [WebhookAttemptSchema, 'WebhookAttempt'],
    [WebhookSendSchema, 'WebhookSend'],
    [SnapshotSchema, 'Snapshot'],
    [ClockSchema, 'Clock'],
    [ClockChangeSchema, 'ClockChange'],
    [ExplanationSchema, 'Explanation'],
    [DeletedSchema, 'Deleted'],
    [ClearedSchema, 'Cleared'],
    [SpaceSchema, 'Space'],
    [ReactionSchema, 'Reaction'],
    [ReactionViewSchema, 'ReactionView'],
    [VerdictSchema, 'Verdict'],
    [KindSchema, 'Kind'],
    [DataSectionSchema, 'DataSection'],
    [DryRunSchema, 'DryRun'],
    [toxicSchemaOf('stream'), 'Toxic'],
    [toxicSchemaOf('datagram'), 'DatagramToxic'],
    [toxicSchemaOf('both'), 'AnyToxic'],
  ]);
  for (const { kind, protocol, itemLists } of host.kinds) {
    const name = pascalCase(kind);
    const fault = faultSchema(protocol);
    names.set(mockSchema(protocol), `${name}Mock`);
    if (fault !== undefined) names.set(fault, `${name}Fault`);
    if (protocol.capture !== undefined) names.set(captureSchema(protocol.capture), `${name}Message`);
    if (protocol.mocks.patch !== undefined) names.set(protocol.mocks.patch.schema, `${name}Patch`);
    for (const { noun, schema, put } of Object.values(protocol.data ?? {})) {
      names.set(schema, `${name}Data${pascalCase(noun)}`);
      if (put !== undefined) names.set(put.schema, `${name}New${pascalCase(noun)}`);
    }
    if (protocol.publish !== undefined) names.set(protocol.publish.schema, `${name}Publication`);
    for (const [key, { declaration }] of itemLists) {
      names.set(itemSchema(protocol, key, declaration), `${name}${pascalCase(declaration.noun)}`);
    }
  }
  return names;
}
