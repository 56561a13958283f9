/** An error of the JetStream interface as it is answered: `code` like HTTP's, `err_code` by which clients know it. */
export interface ApiErrorBody {
  readonly code: number;
  readonly err_code: number;
  readonly description: string;
}

/** A request that is refused. */
export class ApiError extends Error {
  readonly body: ApiErrorBody;

  constructor(code: number, errorCode: number, description: string) {
    super(description);
    this.body = { code, err_code: errorCode, description };
  }
}

const make = (code: number, errorCode: number, description: string) => (): ApiError =>
  new ApiError(code, errorCode, description);
const say =
  (code: number, errorCode: number) =>
  (description: string): ApiError =>
    new ApiError(code, errorCode, description);

/** The errors of nats-server (its `errors.json`) that are answered here. */
export const API_ERRORS = {
  badRequest: make(400, 10003, 'bad request'),
  invalidJson: (problem: string) => new ApiError(400, 10025, `invalid JSON: ${problem}`),
  notEmptyRequest: make(400, 10038, 'expected an empty request payload'),
  insufficientResources: make(503, 10023, 'insufficient resources'),
  maximumStreams: make(400, 10027, 'maximum number of streams reached'),
  maximumConsumers: make(400, 10026, 'maximum consumers limit reached'),
  sequenceNotFound: (sequence: number) => new ApiError(400, 10043, `sequence ${sequence} not found`),
  noMessage: make(404, 10037, 'no message found'),

  streamNotFound: make(404, 10059, 'stream not found'),
  streamNameInUse: make(400, 10058, 'stream name already in use with a different configuration'),
  streamMismatch: make(400, 10056, 'stream name in subject does not match request'),
  streamNotMatch: make(400, 10060, 'expected stream does not match'),
  subjectOverlap: make(400, 10065, 'subjects overlap with an existing stream'),
  streamReplicas: make(500, 10074, 'replicas > 1 not supported in non-clustered mode'),
  streamInvalid: say(500, 10052),
  streamDeleteMessage: say(500, 10057),
  streamPurge: say(500, 10110),
  streamRollup: say(500, 10111),
  streamSealed: make(400, 10109, 'invalid operation on sealed stream'),
  mirrorWithSubjects: make(400, 10034, 'stream mirrors can not contain subjects'),
  mirrorWithSources: make(400, 10031, 'stream mirrors can not also contain other sources'),
  mirrorTooBig: make(400, 10030, 'stream mirror must have max message size >= source'),
  sourceTooBig: make(400, 10046, 'stream source must have max message size >= target'),
  mirrorNotUpdatable: make(400, 10055, 'stream mirror configuration can not be updated'),
  storeFailed: say(503, 10077),
  messageTooLarge: make(400, 10054, 'message size exceeds maximum allowed'),
  headersTooLarge: make(400, 10097, 'header size exceeds maximum allowed of 64k'),
  wrongLastSequence: (sequence: number) => new ApiError(400, 10071, `wrong last sequence: ${sequence}`),
  wrongLastMessageId: (id: string) => new ApiError(400, 10070, `wrong last msg ID: ${id}`),

  consumerNotFound: make(404, 10014, 'consumer not found'),
  consumerCreate: say(500, 10012),
  consumerSampling: (problem: string) =>
    new ApiError(400, 10095, `failed to parse consumer sampling configuration: ${problem}`),
  consumerNameExists: make(400, 10013, 'consumer name already in use'),
  consumerActive: make(400, 10105, 'consumer already exists and is still active'),
  durableNotInSubject: make(400, 10016, 'consumer expected to be durable but no durable name set in subject'),
  durableMismatch: make(400, 10017, 'consumer name in subject does not match durable name in request'),
  durableNotSet: make(400, 10018, 'consumer expected to be durable but a durable name was not set'),
  ephemeralWithName: make(
    400,
    10020,
    'consumer expected to be ephemeral but a durable name was set in request',
  ),
  deliverToWildcards: make(400, 10079, 'consumer deliver subject has wildcards'),
  pushMaxWaiting: make(400, 10080, 'consumer in push mode can not set max waiting'),
  deliverCycle: make(400, 10081, 'consumer deliver subject forms a cycle'),
  maxAckPendingNeedsAck: make(400, 10082, 'consumer requires ack policy for max ack pending'),
  smallHeartbeat: make(400, 10083, 'consumer idle heartbeat needs to be >= 100ms'),
  pullRequiresAck: make(400, 10084, 'consumer in pull mode requires ack policy'),
  maxWaitingNegative: make(400, 10087, 'consumer max waiting needs to be positive'),
  heartbeatNeedsPush: make(400, 10088, 'consumer idle heartbeat requires a push based consumer'),
  flowControlNeedsPush: make(400, 10089, 'consumer flow control requires a push based consumer'),
  filterNotSubset: make(400, 10093, 'consumer filter subject is not a valid subset of the interest subjects'),
  invalidPolicy: say(400, 10094),
  workQueueNeedsExplicit: make(400, 10098, 'workqueue stream requires explicit ack'),
  workQueueUnfiltered: make(400, 10099, 'multiple non-filtered consumers not allowed on workqueue stream'),
  workQueueNotUnique: make(400, 10100, 'filtered consumer not unique on workqueue stream'),
  workQueueNotAll: make(400, 10101, 'consumer must be deliver all on workqueue stream'),
  nameTooLong: (most: number) =>
    new ApiError(400, 10102, `consumer name is too long, maximum allowed is ${most}`),
  badDurableName: make(400, 10103, "durable name can not contain '.', '*', '>'"),
  flowControlNeedsHeartbeats: make(400, 10108, 'consumer with flow control also needs heartbeats'),
  invalidDeliverSubject: make(400, 10112, 'invalid push consumer deliver subject'),
  maxBatchNegative: make(400, 10114, 'consumer max request batch needs to be > 0'),
  maxExpiresTooSmall: make(400, 10115, 'consumer max request expires needs to be >= 1ms'),
  backoffTooLong: make(400, 10116, 'max deliver is required to be > length of backoff values'),
  maxAckPendingExcess: (most: number) =>
    new ApiError(400, 10121, `consumer max ack pending exceeds system limit of ${most}`),
  filterMismatch: make(
    400,
    10131,
    'Consumer create request did not match filtered subject from create subject',
  ),
  nameMismatch: make(400, 10132, 'Consumer Durable and Name have to be equal if both are provided'),
  replicasNegative: make(400, 10133, 'replicas count cannot be negative'),
  duplicateFilters: make(400, 10136, 'consumer cannot have both FilterSubject and FilterSubjects specified'),
  emptyFilter: make(400, 10139, 'consumer filter in FilterSubjects cannot be empty'),
} as const;
