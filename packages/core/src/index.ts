// What people use who embed a host.
export { checkSettings, createHost } from './host/create-host.js';
export {
  faultSchemaOf,
  itemSchemaOf,
  mockSchemaOf,
  ScenarioSchema,
  settingsSchemaOf,
} from './host/schemas.js';
export { reachableHost } from './host/url-of.js';
export { createValidator, type Validator } from './validation/validator.js';
export { unknownField } from './validation/messages.js';
export { BacklotError, ERROR_STATUS, isBacklotError, type ErrorCode, type Problem } from './errors.js';
export type {
  CallBook,
  FaultCollection,
  Host,
  HostOptions,
  ItemCollection,
  ItemCollections,
  JournalEntry,
  JournalFilter,
  JournalReader,
  Json,
  Kind,
  KindCaptures,
  KindFault,
  KindSettings,
  MockCollection,
  NewFault,
  NewItem,
  NewMock,
  NewScenario,
  ScenarioCollection,
  ScenarioPatch,
  ScenarioView,
  SnapshotCollection,
  SettingsOf,
  SnapshotView,
  StateCollection,
  StoredFault,
  StoredItem,
  StoredMock,
  StoredMockOf,
  StoredScenario,
  StreamCollection,
  StreamTarget,
  StreamView,
  TypesOf,
} from './contract/host.js';
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
export { outlineOf, protocolFromOutline, type Outline } from './host/outline.js';
