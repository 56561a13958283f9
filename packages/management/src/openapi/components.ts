import type { Host } from '@backlot/core';
import { ScenarioSchema } from '@backlot/core';
import { Type, type TSchema } from '@backlot/core/plugin';
import { CallsSchema, WaitSchema } from '../routes/calls.js';
import { ClockChangeSchema, ClockSchema } from '../routes/clock.js';
import { ExplanationSchema } from '../routes/explain.js';
import { LogEntrySchema, NearMissSchema } from '../routes/log-entry.js';
import { ClearedSchema, DeletedSchema, pascalCase } from '../routes/management-route.js';
import { SnapshotSchema } from '../routes/snapshots.js';
import { StateSchema } from '../routes/state.js';
import { ConnectionCloseSchema, ConnectionSchema } from '../routes/connections.js';
import { StreamCloseSchema, StreamPushSchema, StreamSchema } from '../routes/streams.js';
import { ProtocolStatusSchema } from '../routes/system.js';
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
  ]);
  for (const { kind, protocol, itemLists } of host.kinds) {
    const name = pascalCase(kind);
    const fault = faultSchema(protocol);
    names.set(mockSchema(protocol), `${name}Mock`);
    if (fault !== undefined) names.set(fault, `${name}Fault`);
    if (protocol.capture !== undefined) names.set(captureSchema(protocol.capture), `${name}Message`);
    if (protocol.mocks.patch !== undefined) names.set(protocol.mocks.patch.schema, `${name}Patch`);
    for (const [key, { declaration }] of itemLists) {
      names.set(itemSchema(protocol, key, declaration), `${name}${pascalCase(declaration.noun)}`);
    }
  }
  return names;
}
