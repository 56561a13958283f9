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
  TlsSchema,
  Type,
  type Static,
  type TlsSettings,
  type TObject,
  type TSchema,
  type ValueOf,
} from './contract/schema.js';
export { WebhookSchema, type WebhookDefinition, type CompiledWebhook } from './contract/webhook.js';
export type {
  DelayRange,
  FaultFields,
  MockFields,
  SettingsFields,
  StartTlsFields,
  StateCondition,
  StreamFaultFields,
  TlsFields,
} from './contract/fields.generated.js';
export type { SameTypes } from './contract/same-types.js';
export {
  patternField,
  PatternSchema,
  testAny,
  type Pattern,
  type PatternObject,
  type PatternSource,
} from './patterns/pattern.js';
export { ComposedIndex } from './mocks/composed-index.js';
export { ExactIndex } from './patterns/exact-index.js';
export { PatternIndex, type PatternHints } from './patterns/pattern-index.js';
export { type Regex } from './patterns/regex.js';
export { jsonText, parseJsonPath, readJsonPath } from './patterns/json-path.js';
export { parseJson } from './patterns/parse-json.js';
export { PathTree, splitPath, type PathPattern, type SplitPath } from './patterns/path-pattern.js';
export { formatDuration, parseDuration } from './time/duration.js';
export type { Clock, Waiting } from './time/clock.js';
export { STALL, stalls, type Stall, type StallListener, type StallWatch } from './time/clock-stalls.js';
export { Slice, runInSlices } from './time/slices.js';
export { SLICE, nextTurn, turns, type Turns } from './time/turns.js';
export type { Random } from './random/random.js';
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
export type { CompileTools, Pointer } from './contract/tools.js';
export type {
  BaseContext,
  CaptureReader,
  LazyCapture,
  StoredCapture,
  Captures,
  ConnectFault,
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
} from './contract/context.js';
export {
  defineProtocol,
  type CaptureDeclaration,
  type FaultDeclaration,
  type ListenAddress,
  type MocksDeclaration,
  type Protocol,
  type ProtocolMeta,
  type ProtocolTypes,
  type Service,
  type ServiceStatus,
} from './contract/protocol.js';
export type { CollectionDeclaration } from './contract/collections.js';
export type {
  EventSink,
  ListAnswer,
  PagesDeclaration,
  Route,
  RouteAnswer,
  RouteRequest,
  RouteResponse,
} from './contract/routes.js';
export { isForbiddenAddress } from './validation/forbidden-address.js';
export { isLargeJson } from './validation/json-size.js';
export { pointTo } from './validation/pointer.js';
