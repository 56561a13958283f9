// What people use who embed a host.
export { checkSettings, createHost } from './host/create-host.js';
export {
  faultSchemaOf,
  itemSchemaOf,
  mockSchemaOf,
  ScenarioSchema,
  settingsSchemaOf,
} from './host/schemas.js';
export { createValidator, type Validator } from './validation/validator.js';
export { unknownField } from './validation/messages.js';
export { BacklotError, ERROR_STATUS, isBacklotError, type ErrorCode, type Problem } from './errors.js';
export type {
  CallBook,
  FaultCollection,
  Host,
  HostOptions,
  HostSettings,
  ItemCollection,
  JournalEntry,
  JournalFilter,
  JournalReader,
  Json,
  Kind,
  MockCollection,
  ScenarioCollection,
  ScenarioPatch,
  ScenarioView,
  SnapshotCollection,
  SnapshotView,
  StateCollection,
  StoredFault,
  StoredMock,
  StoredScenario,
  StreamCollection,
  StreamTarget,
  StreamView,
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
export type { Protocol } from './contract/protocol.js';
