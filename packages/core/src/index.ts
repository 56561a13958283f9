// What people use who embed a host.
export type { Reconfigured, ReconfiguredPart } from './contract/reconfigured.js';
export { checkSettings, checkSettingsInSlices, createHost } from './host/create-host.js';
export { findWarnings, findWarningsInSlices } from './host/find-warnings.js';
export {
  faultSchemaOf,
  itemSchemaOf,
  mockSchemaOf,
  ScenarioSchema,
  settingsSchemaOf,
} from './contract/whole-schemas.js';
export { publishedSchema, type PublishedSchema } from './contract/published-schemas.js';
export { reachableHost } from './host/url-of.js';
export { renameVariables, variableNamesOf } from './host/variables.js';
export { standForFunction } from './mocks/functions.js';
export type {
  AnswerOf,
  FunctionName,
  RespondClock,
  RespondContext,
  RespondKeys,
  RespondFunction,
  RespondRequest,
  RespondState,
} from './contract/respond.js';
export { markTested } from './validation/tested.js';
export { createValidator, type Validator } from './validation/validator.js';
export { unknownField } from './validation/messages.js';
export { BacklotError, ERROR_STATUS, isBacklotError, type ErrorCode, type Problem } from './errors.js';
export type {
  Json,
  NewFault,
  NewItem,
  NewMock,
  StoredFault,
  StoredItem,
  StoredMock,
  StoredMockOf,
} from './contract/given.js';
export type { KindSettings, SettingsOf, TypesOf } from './contract/types-of.js';
export type { DelaySource } from './time/delay-schema.js';
export type {
  DelayDistribution,
  DelayDistributionLognormal,
  DelayRange,
  FaultFields,
  FaultLeft,
  MockFields,
  MockOnce,
  MockOperation,
  SettingsFields,
  StartTlsFields,
  EmitItem,
  StateCondition,
  StreamFaultFields,
  TlsFields,
  WebhookDefinition,
} from './contract/fields.generated.js';
export { compilePattern, type Pattern } from './patterns/pattern.js';
export type { PatternObject, PatternSource } from './patterns/pattern-schema.js';
export type {
  Collection,
  CollectionDefinition,
  Collections,
  CollectionChange,
  CollectionView,
} from './contract/collections.js';
export { CollectionSchema } from './contract/data-schemas.js';
export type {
  FaultCollection,
  Host,
  HostOptions,
  SnapshotCollection,
  SnapshotChange,
  SnapshotChanges,
  SnapshotView,
  StateCollection,
  StreamCollection,
  StreamTarget,
  StreamView,
} from './contract/host.js';
export type { PackedPart, StoredData, TakenPart } from './contract/stored-data.js';
export type {
  KeptAnswer,
  MatchChanges,
  RowChange,
  SharedChanges,
  SharedPush,
} from './contract/shared-changes.js';
export type { CountedMock, SharedCounts } from './contract/shared-counts.js';
export type {
  AskedPort,
  PortShare,
  SharedDatagrams,
  SharedPorts,
  TakeConnection,
} from './contract/shared-ports.js';
export type {
  BegunCheck,
  Check,
  Expectation,
  ExpectationVerdict,
  ExpectedGap,
  ExpectedTimes,
  MessagesElsewhere,
  NearMessage,
  Verdict,
} from './contract/verification.js';
export type {
  NewReaction,
  ReactionAction,
  ReactionCollection,
  ReactionTrigger,
  ReactionView,
  StoredReaction,
} from './contract/reaction.js';
export { orderTrace, type TraceLine } from './journal/trace-order.js';
export { describeVerdict } from './verify/describe-verdict.js';
export {
  SPACE_ID,
  NewSpaceSchema,
  type NewSpace,
  type Space,
  type SpaceCollection,
  type SpaceLimits,
  type SpaceListener,
  type SpaceView,
} from './contract/spaces.js';
export { KeysSchema, type KeyDefinition } from './keys/key-schema.js';
export type { DataDeclaration, DataEntry, PublishDeclaration } from './contract/data.js';
export type { StoredCapture } from './contract/context.js';
export type {
  CallBook,
  CallsView,
  JournalEntry,
  JournalFilter,
  JournalItem,
  JournalCollection,
} from './contract/journal.js';
export type { Span, SpanAttributes, SpanEvent, SpanLink, SpanValue } from './contract/span.js';
export type {
  DryRun,
  DryRunChange,
  DryRunOptions,
  ItemList,
  ItemLists,
  ConnectionFilter,
  ConnectionView,
  Kind,
  KindCaptures,
  KindConnections,
  KindData,
  ExplainedFault,
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
export type { IncidentCollection, IncidentView, RunningIncident } from './contract/incident.js';
export type { ExchangeOutcome, OutcomeTally } from './contract/tally.js';
export type { Trouble, TroubleSource } from './contract/trouble.js';
export type { KindToxics, NewToxic, StoredToxic, ToxicCollection } from './contract/toxics.js';
export { TOXIC_TYPES, toxicTypesOf } from './toxics/toxic-types.js';
export { toxicSchemaOf } from './toxics/toxic-schema.js';
export type { ClockView, ControlledClock } from './time/clock.js';
export type {
  CompiledWebhook,
  CompiledWebhookSign,
  WebhookAttempt,
  WebhookCause,
  WebhookFactory,
  WebhookHost,
  WebhookSend,
  WebhookSender,
} from './contract/webhook.js';
export { checkProtocol } from './contract/check-protocol.js';
export type { Protocol, ProtocolTypes } from './contract/protocol.js';
export type {
  Imported,
  ImportDeclaration,
  Importer,
  ImportFile,
  ImportNotes,
  ImportSettings,
} from './contract/imports.js';
export type {
  ExportDeclaration,
  Exporter,
  ExportKind,
  ExportNotes,
  ExportSettings,
  ExportSource,
} from './contract/exports.js';
export type {
  ContractCoverage,
  ContractDeclaration,
  ContractDesk,
  ContractFindings,
  ContractMode,
  ContractNote,
  ContractOperation,
  ContractSource,
  ContractViolation,
  LoadedContract,
  MockViolation,
  OperationCoverage,
} from './contract/contracts.js';
export {
  RECORDED_ID,
  type RecordingDeclaration,
  type Upstream,
  type UpstreamMode,
  type UpstreamNote,
} from './contract/upstream.js';
export { exporterFor, exportFormats } from './exports/exporter-for.js';
export { exportSource, placeOf } from './exports/export-source.js';
export { runExport, type ExportReport, type RunningExport } from './exports/run-export.js';
export { applyImport, type AppliedImport, type ApplyImportOptions } from './imports/apply-import.js';
export { checkImport, type CheckedImport } from './imports/check-import.js';
export { importFile, type ImportSource } from './imports/import-file.js';
export { importersFor, importFormats } from './imports/importers-for.js';
export { readImport, type ImportReport, type ReadImport } from './imports/run-import.js';
export type { ImportNote } from './imports/noted.js';
export { manifestOf, protocolFromManifest, type ProtocolManifest } from './host/manifest.js';
export type { Farewell, FurtherListener } from './contract/service.js';
