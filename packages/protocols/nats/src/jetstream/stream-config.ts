import { isSubscribable } from '../wire/subject.js';
import { SECOND } from './dates.js';
import { API_ERRORS } from './errors.js';
import type { Fields } from './fields.js';
import { overlap } from './filters.js';
import { readOrigins, type OriginConfig } from './origin-config.js';

/** The configuration of a stream in the words of the interface; durations are in nanoseconds, -1 is no limit. */
export interface StreamConfig {
  readonly name: string;
  readonly description?: string;
  readonly subjects?: readonly string[];
  readonly retention: 'limits' | 'interest' | 'workqueue';
  readonly max_consumers: number;
  readonly max_msgs: number;
  readonly max_bytes: number;
  readonly max_age: number;
  readonly max_msgs_per_subject: number;
  readonly max_msg_size: number;
  readonly discard: 'old' | 'new';
  readonly discard_new_per_subject?: true;
  readonly storage: 'file' | 'memory';
  readonly num_replicas: number;
  readonly no_ack?: true;
  /** Absent for a mirror. */
  readonly duplicate_window?: number;
  readonly mirror?: OriginConfig;
  readonly sources?: readonly OriginConfig[];
  readonly sealed: boolean;
  readonly deny_delete: boolean;
  readonly deny_purge: boolean;
  readonly allow_rollup_hdrs: boolean;
  readonly allow_direct: boolean;
  readonly mirror_direct: boolean;
}

const DUPLICATE_WINDOW = 120 * SECOND;
const SMALLEST_WINDOW = SECOND / 10;
const MAX_NAME = 255;
const MAX_DESCRIPTION = 4096;
const MAX_SUBJECTS = 1_000;
/** What publishes again, or under other names. */
const NOT_SUPPORTED = ['republish', 'subject_transform'] as const;

/**
 * Reads the configuration of a stream, and fills in what the server decides.
 *
 * @param name - the name in the subject of the request
 * @throws ApiError for what nats-server refuses as well
 */
export function readStreamConfig(fields: Fields, name: string): StreamConfig {
  const given = fields.text('name');
  if (name !== given) throw API_ERRORS.streamMismatch();
  if (!isName(given))
    throw API_ERRORS.streamInvalid("stream name is required and can not contain '.', '*', '>'");
  if (given.length > MAX_NAME) {
    throw API_ERRORS.streamInvalid(`stream name is too long, maximum allowed is ${MAX_NAME}`);
  }
  for (const field of NOT_SUPPORTED) {
    if (fields.has(field)) throw API_ERRORS.streamInvalid(`\`${field}\` is not supported by this server`);
  }
  const description = fields.text('description');
  if (description.length > MAX_DESCRIPTION) {
    throw API_ERRORS.streamInvalid(`stream description is too long, maximum allowed is ${MAX_DESCRIPTION}`);
  }
  const replicas = fields.number('num_replicas');
  if (replicas > 1) throw API_ERRORS.streamReplicas();
  if (replicas < 0) throw API_ERRORS.replicasNegative();
  const maxAge = fields.number('max_age');
  const origins = readOrigins(fields);
  const config: StreamConfig = {
    name: given,
    ...(description === '' ? {} : { description }),
    ...readSubjects(fields, given, origins.mirror !== undefined || origins.sources !== undefined),
    retention: fields.word('retention', ['limits', 'interest', 'workqueue']),
    max_consumers: noLimit(fields.number('max_consumers')),
    max_msgs: noLimit(fields.number('max_msgs')),
    max_bytes: noLimit(fields.number('max_bytes')),
    max_age: maxAge,
    max_msgs_per_subject: noLimit(fields.number('max_msgs_per_subject')),
    max_msg_size: noLimit(fields.number('max_msg_size')),
    discard: fields.word('discard', ['old', 'new']),
    ...(fields.flag('discard_new_per_subject') ? { discard_new_per_subject: true } : {}),
    storage: fields.word('storage', ['file', 'memory']),
    num_replicas: 1,
    ...(fields.flag('no_ack') ? { no_ack: true } : {}),
    ...(origins.mirror === undefined ? { duplicate_window: readWindow(fields, maxAge) } : {}),
    ...origins,
    sealed: fields.flag('sealed'),
    deny_delete: fields.flag('deny_delete'),
    deny_purge: fields.flag('deny_purge'),
    allow_rollup_hdrs: fields.flag('allow_rollup_hdrs'),
    allow_direct: fields.flag('allow_direct'),
    mirror_direct: fields.flag('mirror_direct'),
  };
  checkTogether(config);
  return config;
}

/**
 * Checks what of a stream may be changed.
 *
 * @throws ApiError 10052
 */
export function checkStreamUpdate(old: StreamConfig, config: StreamConfig): void {
  const refuse = (problem: string): never => {
    throw API_ERRORS.streamInvalid(`stream configuration update ${problem}`);
  };
  if (config.max_consumers !== old.max_consumers) refuse('can not change MaxConsumers');
  if (config.storage !== old.storage) refuse('can not change storage type');
  if (config.retention !== old.retention) refuse('can not change retention policy');
  if (JSON.stringify(config.mirror) !== JSON.stringify(old.mirror)) throw API_ERRORS.mirrorNotUpdatable();
  if (old.sealed && !config.sealed) refuse('can not unseal a sealed stream');
  if (old.deny_delete && !config.deny_delete) refuse('can not cancel deny message deletes');
  if (old.deny_purge && !config.deny_purge) refuse('can not cancel deny purge');
}

/** Whether it can be the name of a stream or a consumer. */
export function isName(name: string): boolean {
  return name !== '' && !/[\s.*>/\\]/.test(name);
}

function readSubjects(fields: Fields, name: string, copies: boolean): Pick<StreamConfig, 'subjects'> {
  const subjects = fields.texts('subjects');
  if (subjects.length === 0) return copies ? {} : { subjects: [name] };
  if (subjects.length > MAX_SUBJECTS) {
    throw API_ERRORS.streamInvalid(`a stream has ${MAX_SUBJECTS} subjects at most`);
  }
  const wire = subjects.map((subject) => Buffer.from(subject, 'utf8').toString('latin1'));
  wire.forEach((subject, index) => {
    if (wire.indexOf(subject) < index) {
      throw API_ERRORS.streamInvalid(`duplicate subjects detected`);
    }
    if (!isSubscribable(subject)) throw API_ERRORS.streamInvalid('invalid subject');
    if (overlap(subject, '$JS.API.>')) {
      throw API_ERRORS.streamInvalid('subjects overlap with jetstream api');
    }
    if (wire.slice(0, index).some((other) => overlap(other, subject))) {
      const other = wire.find((known) => overlap(known, subject)) ?? '';
      throw API_ERRORS.streamInvalid(`subject "${subject}" overlaps with "${other}"`);
    }
  });
  return { subjects: wire };
}

function readWindow(fields: Fields, maxAge: number): number {
  const window = fields.number('duplicate_window');
  if (window < 0) throw API_ERRORS.streamInvalid('duplicates window can not be negative');
  if (window === 0) return maxAge > 0 && maxAge < DUPLICATE_WINDOW ? maxAge : DUPLICATE_WINDOW;
  if (maxAge > 0 && window > maxAge) {
    throw API_ERRORS.streamInvalid('duplicates window can not be larger then max age');
  }
  if (window < SMALLEST_WINDOW) throw API_ERRORS.streamInvalid('duplicates window needs to be >= 100ms');
  return window;
}

function checkTogether(config: StreamConfig): void {
  if (config.max_age < 0) throw API_ERRORS.streamInvalid('max age can not be negative');
  if (config.max_age > 0 && config.max_age < SMALLEST_WINDOW) {
    throw API_ERRORS.streamInvalid('max age needs to be >= 100ms');
  }
  if (config.deny_purge && config.allow_rollup_hdrs) {
    throw API_ERRORS.streamInvalid('roll-ups require the purge permission');
  }
  if (config.discard_new_per_subject === true) {
    if (config.discard !== 'new') {
      throw API_ERRORS.streamInvalid('discard new per subject requires discard new policy to be set');
    }
    if (config.max_msgs_per_subject <= 0) {
      throw API_ERRORS.streamInvalid('discard new per subject requires max msgs per subject > 0');
    }
  }
}

function noLimit(value: number): number {
  return value <= 0 ? -1 : value;
}
