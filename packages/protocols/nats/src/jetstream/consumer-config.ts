import { isLiteral, isSubscribable } from '../wire/subject.js';
import { MILLISECOND, SECOND, toMilliseconds } from './dates.js';
import { API_ERRORS } from './errors.js';
import type { Fields } from './fields.js';
import { isWithin, overlap } from './filters.js';
import type { StreamConfig } from './stream-config.js';
import { isName } from './stream-config.js';

const DELIVER = ['all', 'last', 'new', 'by_start_sequence', 'by_start_time', 'last_per_subject'] as const;

/** The configuration of a consumer in the words of the interface; durations are in nanoseconds. */
export interface ConsumerConfig {
  readonly durable_name?: string;
  readonly name?: string;
  readonly description?: string;
  readonly deliver_policy: (typeof DELIVER)[number];
  readonly opt_start_seq?: number;
  readonly opt_start_time?: string;
  readonly ack_policy: 'none' | 'all' | 'explicit';
  readonly ack_wait?: number;
  readonly max_deliver: number;
  readonly backoff?: readonly number[];
  readonly filter_subject?: string;
  readonly filter_subjects?: readonly string[];
  readonly replay_policy: 'instant' | 'original';
  /** The share of acknowledgements that are told of, in percent: `30` or `30%`. */
  readonly sample_freq?: string;
  readonly max_waiting?: number;
  readonly max_ack_pending?: number;
  readonly flow_control?: true;
  readonly idle_heartbeat?: number;
  readonly headers_only?: true;
  readonly max_batch?: number;
  readonly max_expires?: number;
  readonly max_bytes?: number;
  readonly deliver_subject?: string;
  readonly deliver_group?: string;
  readonly inactive_threshold?: number;
  readonly num_replicas: number;
  readonly mem_storage?: true;
}

const ACK_WAIT = 30 * SECOND;
/** An ephemeral consumer that nobody uses is there for so long. */
const INACTIVE = 5 * SECOND;
const MAX_ACK_PENDING = 1_000;
const MAX_WAITING = 512;
/** More requests than this wait for no consumer, whatever it says. */
const MOST_WAITING = 10_000;
const MAX_NAME = 256;
const MAX_FILTERS = 100;
const MAX_BACKOFF = 1_000;

/**
 * Reads the configuration of a consumer, and fills in what the server decides.
 *
 * @throws ApiError for what nats-server refuses as well
 */
export function readConsumerConfig(fields: Fields, stream: StreamConfig): ConsumerConfig {
  const durable = fields.text('durable_name');
  const deliverSubject = toWire(fields.text('deliver_subject'));
  const isPull = deliverSubject === '';
  const ackPolicy = fields.word('ack_policy', ['none', 'all', 'explicit']);
  const backoff = fields.numbers('backoff');
  const acks = ackPolicy !== 'none';
  const filters = readFilters(fields);
  const ackWait = backoff[0] ?? (fields.number('ack_wait') || (acks ? ACK_WAIT : 0));
  const config: ConsumerConfig = {
    ...when('durable_name', durable),
    ...when('name', fields.text('name')),
    ...when('description', fields.text('description')),
    deliver_policy: fields.word('deliver_policy', DELIVER),
    ...when('opt_start_seq', fields.number('opt_start_seq')),
    ...when('opt_start_time', fields.text('opt_start_time')),
    ack_policy: ackPolicy,
    ...when('ack_wait', ackWait),
    max_deliver: fields.number('max_deliver') || -1,
    ...(backoff.length === 0 ? {} : { backoff }),
    ...filters,
    replay_policy: fields.word('replay_policy', ['instant', 'original']),
    ...readSampling(fields),
    ...when('max_waiting', fields.number('max_waiting') || (isPull ? MAX_WAITING : 0)),
    ...when('max_ack_pending', fields.number('max_ack_pending') || (acks ? MAX_ACK_PENDING : 0)),
    ...when('flow_control', fields.flag('flow_control')),
    ...when('idle_heartbeat', fields.number('idle_heartbeat')),
    ...when('headers_only', fields.flag('headers_only')),
    ...when('max_batch', fields.number('max_batch')),
    ...when('max_expires', fields.number('max_expires')),
    ...when('max_bytes', fields.number('max_bytes')),
    ...when('deliver_subject', deliverSubject),
    ...when('deliver_group', fields.text('deliver_group')),
    ...when('inactive_threshold', fields.number('inactive_threshold') || (durable === '' ? INACTIVE : 0)),
    num_replicas: fields.number('num_replicas'),
    ...when('mem_storage', fields.flag('mem_storage')),
  };
  checkNames(config);
  if (fields.number('rate_limit_bps') !== 0) {
    throw API_ERRORS.consumerCreate('`rate_limit_bps` is not supported by this server');
  }
  if (config.num_replicas < 0) throw API_ERRORS.replicasNegative();
  if (backoff.length > MAX_BACKOFF || (backoff.length > 0 && config.max_deliver <= backoff.length)) {
    throw API_ERRORS.backoffTooLong();
  }
  if (isPull) checkPull(config, stream);
  else checkPush(config, stream);
  checkFilters(config, stream);
  checkStart(config);
  if (config.flow_control === true && config.idle_heartbeat === undefined) {
    throw API_ERRORS.flowControlNeedsHeartbeats();
  }
  return config;
}

/** The name that a consumer was given. */
export function nameOf({ durable_name: durable, name }: ConsumerConfig): string | undefined {
  return name ?? durable;
}

/** What a consumer reads: its filters; none is everything. */
export function filtersOf({ filter_subject: one, filter_subjects: many }: ConsumerConfig): readonly string[] {
  return many ?? (one === undefined ? [] : [one]);
}

/** How long a message waits for its acknowledgement after so many deliveries before; milliseconds. */
export function ackWaitOf({ backoff = [], ack_wait: wait = 0 }: ConsumerConfig, earlier: number): number {
  return toMilliseconds(backoff[Math.min(Math.max(0, earlier), backoff.length - 1)] ?? wait);
}

/** The share of acknowledgements that are told of, 0 to 1. */
export function sampleRateOf({ sample_freq: percent = '' }: ConsumerConfig): number {
  return percent === '' ? 0 : Math.min(1, Math.max(0, Number(percent.replace(/%$/, '')) / 100));
}

function readSampling(fields: Fields): Pick<ConsumerConfig, 'sample_freq'> {
  const percent = fields.text('sample_freq');
  if (percent === '') return {};
  const digits = percent.replace(/%$/, '');
  if (!/^[+-]?[0-9]{1,9}$/.test(digits))
    throw API_ERRORS.consumerSampling(`strconv.Atoi: parsing ${JSON.stringify(digits)}: invalid syntax`);
  return { sample_freq: percent };
}

function checkNames({ durable_name: durable, name }: ConsumerConfig): void {
  if (durable !== undefined && !isName(durable)) throw API_ERRORS.badDurableName();
  if (name !== undefined && !isName(name)) throw API_ERRORS.badDurableName();
  if ((name ?? '').length > MAX_NAME) throw API_ERRORS.nameTooLong(MAX_NAME);
  if (durable !== undefined && name !== undefined && name !== durable) throw API_ERRORS.nameMismatch();
}

function checkPush(config: ConsumerConfig, { subjects = [] }: StreamConfig): void {
  const { deliver_subject: subject = '', idle_heartbeat: heartbeat = 0 } = config;
  if (subject.split('.').some((word) => word === '*' || word === '>')) throw API_ERRORS.deliverToWildcards();
  if (!isLiteral(subject)) throw API_ERRORS.invalidDeliverSubject();
  if (subjects.some((taken) => overlap(taken, subject))) throw API_ERRORS.deliverCycle();
  if (config.max_waiting !== undefined) throw API_ERRORS.pushMaxWaiting();
  if ((config.max_ack_pending ?? 0) > 0 && config.ack_policy === 'none') {
    throw API_ERRORS.maxAckPendingNeedsAck();
  }
  if (heartbeat > 0 && heartbeat < SECOND / 10) throw API_ERRORS.smallHeartbeat();
}

function checkPull(config: ConsumerConfig, { retention }: StreamConfig): void {
  if (config.ack_policy === 'none' && retention === 'workqueue') throw API_ERRORS.pullRequiresAck();
  const waiting = config.max_waiting ?? 0;
  if (waiting < 0 || waiting > MOST_WAITING) throw API_ERRORS.maxWaitingNegative();
  if (config.idle_heartbeat !== undefined) throw API_ERRORS.heartbeatNeedsPush();
  if (config.flow_control === true) throw API_ERRORS.flowControlNeedsPush();
  if ((config.max_batch ?? 0) < 0) throw API_ERRORS.maxBatchNegative();
  if ((config.max_expires ?? MILLISECOND) < MILLISECOND) throw API_ERRORS.maxExpiresTooSmall();
}

function checkFilters(config: ConsumerConfig, { subjects = [], mirror, sources }: StreamConfig): void {
  const copies = mirror !== undefined || sources !== undefined;
  for (const filter of filtersOf(config)) {
    // What is copied has subjects that nobody else takes.
    const isSubset =
      copies || subjects.some((subject) => isWithin(filter, subject) || overlap(filter, subject));
    if (!isSubscribable(filter) || !isSubset) throw API_ERRORS.filterNotSubset();
  }
}

/** Where it begins, and what that may not be said together with. */
const STARTS: Readonly<Record<ConsumerConfig['deliver_policy'], readonly [string, boolean, boolean]>> = {
  all: ['all', false, false],
  last: ['last', false, false],
  new: ['new', false, false],
  last_per_subject: ['last per subject', false, false],
  by_start_sequence: ['by start sequence', true, false],
  by_start_time: ['by start time', false, true],
};

function checkStart(config: ConsumerConfig): void {
  const [policy, takesSequence, takesTime] = STARTS[config.deliver_policy];
  const wrong = (problem: string): Error =>
    API_ERRORS.invalidPolicy(`consumer delivery policy is deliver ${policy}, but optional ${problem}`);
  if (takesSequence && config.opt_start_seq === undefined) throw wrong('start sequence is not set');
  if (!takesSequence && config.opt_start_seq !== undefined) throw wrong('start sequence is also set');
  if (takesTime && Number.isNaN(Date.parse(config.opt_start_time ?? ''))) {
    throw wrong('start time is not set');
  }
  if (!takesTime && config.opt_start_time !== undefined) throw wrong('start time is also set');
  if (config.deliver_policy === 'last_per_subject' && filtersOf(config).length === 0) {
    throw wrong('filter subject is not set');
  }
}

function readFilters(fields: Fields): Pick<ConsumerConfig, 'filter_subject' | 'filter_subjects'> {
  const one = toWire(fields.text('filter_subject'));
  const many = fields.texts('filter_subjects').map(toWire);
  if (one !== '' && many.length > 0) throw API_ERRORS.duplicateFilters();
  if (many.includes('')) throw API_ERRORS.emptyFilter();
  if (many.length > MAX_FILTERS) throw API_ERRORS.consumerCreate(`more than ${MAX_FILTERS} filter subjects`);
  return { ...when('filter_subject', one), ...(many.length === 0 ? {} : { filter_subjects: many }) };
}

function when<K extends string, V>(name: K, value: V): { readonly [P in K]?: Exclude<V, false> } {
  const isThere = value !== '' && value !== 0 && value !== false;
  return (isThere ? { [name]: value } : {}) as { readonly [P in K]?: Exclude<V, false> };
}

function toWire(subject: string): string {
  return Buffer.from(subject, 'utf8').toString('latin1');
}

const FIXED = [
  ['deliver_policy', 'deliver policy'],
  ['opt_start_seq', 'start sequence'],
  ['opt_start_time', 'start time'],
  ['ack_policy', 'ack policy'],
  ['replay_policy', 'replay policy'],
  ['idle_heartbeat', 'heart beats'],
  ['flow_control', 'flow control'],
  ['max_waiting', 'max waiting'],
] as const;

/**
 * Checks what of a consumer may be changed.
 *
 * @param isHeard - whether somebody gets what it delivers
 * @throws ApiError 10012, or 10013 for a consumer that is bound
 */
export function checkConsumerUpdate(old: ConsumerConfig, config: ConsumerConfig, isHeard: boolean): void {
  for (const [field, text] of FIXED) {
    if (old[field] !== config[field]) throw API_ERRORS.consumerCreate(`${text} can not be updated`);
  }
  if (old.deliver_subject === config.deliver_subject) return;
  if (old.deliver_subject === undefined) {
    throw API_ERRORS.consumerCreate('can not update pull consumer to push based');
  }
  if (config.deliver_subject === undefined) {
    throw API_ERRORS.consumerCreate('can not update push consumer to pull based');
  }
  if (isHeard) throw API_ERRORS.consumerNameExists();
}
