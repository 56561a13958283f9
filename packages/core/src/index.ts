// What people use who embed a host.
export { checkSettings, createHost } from './host/create-host.js';
export { findWarnings } from './host/find-warnings.js';
export {
  faultSchemaOf,
  itemSchemaOf,
  mockSchemaOf,
  ScenarioSchema,
  settingsSchemaOf,
} from './contract/whole-schemas.js';
export { reachableHost } from './host/url-of.js';
export { renameVariables, variableNamesOf } from './host/variables.js';
export { createValidator, type Validator } from './validation/validator.js';
export { unknownField } from './validation/messages.js';
export { BacklotError, ERROR_STATUS, isBacklotError, type ErrorCode, type Problem } from './errors.js';
export type {
  Json,
  KindSettings,
  NewFault,
  NewItem,
  NewMock,
  SettingsOf,
  StoredFault,
  StoredItem,
  StoredMock,
  StoredMockOf,
  TypesOf,
} from './contract/given.js';
export type {
  DelayRange,
  FaultFields,
  MockFields,
  SettingsFields,
  StartTlsFields,
  StateCondition,
  StreamFaultFields,
  TlsFields,
  WebhookDefinition,
} from './contract/fields.generated.js';
export type { PatternObject, PatternSource } from './patterns/pattern-schema.js';
export type {
  FaultCollection,
  Host,
  HostOptions,
  SnapshotCollection,
  SnapshotView,
  StateCollection,
  StreamCollection,
  StreamTarget,
  StreamView,
} from './contract/host.js';
export type { StoredCapture } from './contract/context.js';
export type {
  CallBook,
  CallsView,
  JournalEntry,
  JournalFilter,
  JournalItem,
  JournalCollection,
} from './contract/journal.js';
export type {
  ItemCollection,
  ItemCollections,
  Kind,
  KindCaptures,
  Explanation,
  KindFault,
  MockCollection,
} from './contract/kind.js';
export type {
  NewScenario,
  ScenarioCollection,
  ScenarioPatch,
  ScenarioView,
  StoredScenario,
} from './contract/scenario.js';
export type { ClockView, ControlledClock } from './time/clock.js';
export type {
  CompiledWebhook,
  WebhookAttempt,
  WebhookCause,
  WebhookFactory,
  WebhookHost,
  WebhookSend,
  WebhookSender,
} from './contract/webhook.js';
export { checkProtocol } from './contract/check-protocol.js';
export type { Protocol, ProtocolTypes } from './contract/protocol.js';
export { manifestOf, protocolFromManifest, type ProtocolManifest } from './host/manifest.js';
