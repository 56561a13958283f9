// What authors of protocols use.
export {
  BacklotError,
  ERROR_STATUS,
  checkAt,
  invalid,
  isBacklotError,
  messageOf,
  type ErrorCode,
  type Problem,
} from './errors.js';
export {
  FAULT_TIMING_FIELDS,
  shareField,
  TlsSchema,
  Type,
  type Static,
  type TlsSettings,
  type TObject,
  type TSchema,
  type ValueOf,
} from './contract/schema.js';
export type { SpaceDoor, SpaceDoors } from './contract/space-doors.js';
export type { Given } from './contract/given.js';
export type { AnswerDeclaration, AnswerOf, FunctionName, RespondFunction } from './contract/respond.js';
export type { ConnectionFollower } from './contract/service.js';
export {
  defineIncident,
  lastsField,
  type IncidentDeclaration,
  type IncidentPlace,
  type IncidentStage,
} from './contract/incident.js';
export type { EmissionDeclaration } from './contract/emission.js';
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
  UpstreamSchema,
  type Upstream,
  type UpstreamMode,
  type UpstreamNote,
} from './contract/upstream.js';
export { emissionOf, WebhookEmissionSchema } from './reactions/emission.js';
export { ReactionSchema, VIEW_FIELDS } from './reactions/reaction-schema.js';
export { CheckSchema, EXPECTATION_FIELDS, expectedMessageSchemaOf } from './verify/check-schema.js';
export { SpanMatchSchema } from './verify/span-test.js';
export { closedObject } from './contract/closed-object.js';
export {
  WebhookSchema,
  WebhookSignSchema,
  type WebhookDefinition,
  type CompiledWebhook,
} from './contract/webhook.js';
export type { NewReaction } from './contract/reaction.js';
export type {
  DelayDistribution,
  DelayDistributionLognormal,
  DelayRange,
  FaultFields,
  FaultLeft,
  MockFields,
  SettingsFields,
  StartTlsFields,
  EmitItem,
  StateCondition,
  StreamFaultFields,
  TlsFields,
} from './contract/fields.generated.js';
export type { SameTypes } from './contract/same-types.js';
export {
  compilePattern,
  patternField,
  PatternSchema,
  PlaceSchema,
  placesField,
  testAny,
  type Pattern,
  type NestedSource,
  type PatternObject,
  type PatternSource,
  type PlaceSource,
} from './patterns/pattern.js';
export { isPatternSource, type PlaceCondition } from './patterns/place-conditions.js';
export { forgetCaptures, markCaptures, recordCaptures, type CapturedGroups } from './patterns/captures.js';
export { parsedText, type ParsedText } from './patterns/document.js';
export { compileHeaders, type FieldConditions } from './patterns/field-conditions.js';
export { ComposedIndex } from './mocks/composed-index.js';
export { ExactIndex } from './patterns/exact-index.js';
export { PatternIndex, type PatternHints } from './patterns/pattern-index.js';
export { compileRegex, type Regex } from './patterns/regex.js';
export { jsonSchemaFormats } from './patterns/json-schema-formats.js';
export { isWide, jsonText, parseJsonPath, readJsonPath, readJsonPlaces } from './patterns/json-path.js';
export { parseJson } from './patterns/parse-json.js';
export { PathTree, splitPath, type PathPattern, type SplitPath } from './patterns/path-pattern.js';
export { compileDelay, type Delay, type RolledDelay } from './time/delay.js';
export { delayField, DelaySchema, type DelaySource } from './time/delay-schema.js';
export { formatDuration, parseDuration } from './time/duration.js';
export {
  compileContent,
  constantContent,
  parseBase64,
  renderContent,
  type ContentDefinition,
  type ContentTemplate,
} from './content/compile-content.js';
export { givenBytesFields, readGivenBytes, showBytes, shownBytesFields } from './content/given-bytes.js';
export { mapSection } from './stores/map-section.js';
export { endOfJsonString } from './content/json-strings.js';
export { findJsonFault, type JsonFault } from './content/json-position.js';
export { checkNesting } from './content/nesting.js';
export { JsonFaultError, parseLargeJson } from './content/parse-large-json.js';
export { isJsonLines, readJsonBody } from './content/parse-body.js';
export { base64Field, choiceOf, jsonField, textField, textsField } from './content/content-fields.js';
export type { Clock, Waiting } from './time/clock.js';
export { STALL, stalls, type Stall, type StallListener, type StallWatch } from './time/clock-stalls.js';
export { Slice, runAtOnce, runInSlices } from './time/slices.js';
export { holdsTooMuch } from './validation/value-size.js';
export { sortSteps } from './time/sort-steps.js';
export { batch } from './time/clock-real.js';
export { SLICE, nextTurn, turns, type Turns } from './time/turns.js';
export type { Random } from './random/random.js';
export { withLocals } from './templates/scope.js';
export { freshSeed } from './random/random.js';
export { afterRealTime, afterThisTurn, realElapsed } from './time/clock-real.js';
export { FAKE_KINDS } from './templates/fake-data.js';
export { contentTypeIn } from './templates/target.js';
export type { Template, TemplateScope, ValueTemplate } from './templates/template.js';
export {
  LATER,
  type Challenge,
  type CompiledMock,
  type Miss,
  type MockFault,
  type TestResult,
} from './contract/matcher.js';
export type { Log } from './contract/log.js';
export type { Message, Reply } from './contract/message.js';
export type { Exchange, Faulted, LiveMock, Match, NearMiss, Outcome } from './contract/outcome.js';
export {
  isBucket,
  listMocks,
  ranksBefore,
  withMock,
  withoutMock,
  type Bucket,
  type Candidates,
  type Change,
  type IndexedMock,
  type MockIndex,
} from './contract/mock-index.js';
export type { Verified } from './keys/verified.js';
export type { CompileTools, Pointer, TokenVerifier } from './contract/tools.js';
export type {
  BaseContext,
  CaptureFollower,
  CaptureReader,
  CapturePieces,
  CaptureStart,
  LazyCapture,
  StoredCapture,
  Captures,
  ConnectFault,
  LoginFault,
  Context,
  ExchangeFor,
  FaultOf,
  SnapshotPart,
  LiveMockOf,
  MatchOf,
  MockChange,
  MockOf,
  OpenStream,
  OutcomeFor,
  Shape,
  StreamControl,
  CaptureEvent,
  PiecedText,
} from './contract/context.js';
export type { Passage } from './contract/passage.js';
export type {
  DataDeclaration,
  DataEntry,
  DataSection,
  Publisher,
  PublishDeclaration,
} from './contract/data.js';
export type { Json } from './contract/json.js';
export type { DeclaredProtocol } from './contract/declared-protocol.js';
export {
  defineProtocol,
  type FaultDeclaration,
  type Protocol,
  type ProtocolMeta,
  type ProtocolTypes,
} from './contract/protocol.js';
export type { MocksDeclaration } from './contract/mocks-declaration.js';
export type {
  Farewell,
  FurtherListener,
  ListenAddress,
  OpenConnection,
  Service,
  ServiceStatus,
} from './contract/service.js';
export { reachableHost } from './host/url-of.js';
export type { Attachment, CaptureDeclaration, PiecedAttachment } from './contract/captures.js';
export type { CaptureView, DataView, MockView } from './contract/views.js';
export type { ExplainedForms } from './contract/explained.js';
export type { ItemListDeclaration } from './contract/item-lists.js';
export type {
  EventSink,
  ListAnswer,
  PagesDeclaration,
  Route,
  RouteAnswer,
  RouteRequest,
  RouteResponse,
} from './contract/routes.js';
export { bodyBytes, shellLine, shellPrint, shellWord } from './content/shell.js';
export type { CommandDeclaration, CommandPlace } from './contract/commands.js';
export { readWords } from './host/read-words.js';
export { readUpstream, type GivenUpstream, type UpstreamOf } from './upstream/read-upstream.js';
export { isForbiddenAddress } from './validation/forbidden-address.js';
export { isLoopback } from './validation/loopback.js';
export { guardLookup } from './validation/guard-lookup.js';
export { KeptBytes } from './journal/kept-bytes.js';
export { compiledOnce } from './validation/shared-schemas.js';
export { isLargeJson } from './validation/json-size.js';
export { pointTo } from './validation/pointer.js';
export type { ServicePorts, SharedDatagrams } from './contract/shared-ports.js';
export type { ActiveToxic, ToxicFeed } from './contract/toxics.js';
