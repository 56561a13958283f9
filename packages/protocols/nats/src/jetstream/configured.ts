import { checkAt, invalid, type ValueOf } from '@backlot/core/plugin';
import { parseDuration } from '@backlot/core/plugin';
import type { JetStreamSchema } from './schemas.js';
import { MILLISECOND } from './dates.js';
import { ApiError } from './errors.js';
import { Fields } from './fields.js';
import { overlap } from './filters.js';
import { readStreamConfig, type StreamConfig } from './stream-config.js';

const MAX_BYTES = 256 * 1024 * 1024;

type Configured = ValueOf<typeof JetStreamSchema>;
type ConfiguredObject = Exclude<Configured, boolean>;

/** What is configured of JetStream. */
export interface JetStreamSettings {
  /** The most bytes that all streams hold together. */
  readonly maxBytes: number;
  readonly streams: NonNullable<ConfiguredObject['streams']>;
  readonly buckets: NonNullable<ConfiguredObject['buckets']>;
}

/** The settings with defaults, or `undefined` when it is switched off. */
export function readJetStreamSettings(config: Configured | undefined): JetStreamSettings | undefined {
  if (config === undefined || config === false) return undefined;
  const { max_bytes: maxBytes = MAX_BYTES, streams = [], buckets = [] } = config === true ? {} : config;
  return { maxBytes, streams, buckets };
}

/** The streams that are there from the start. @throws ApiError */
export function readConfigured({ streams, buckets }: JetStreamSettings): readonly StreamConfig[] {
  return [...streams.map(readStream), ...buckets.map(readBucket)];
}

/** Checks the streams that are there from the start. @throws BacklotError `invalid` */
export function checkJetStream(config: Configured | undefined): void {
  const { streams = [], buckets = [] } = readJetStreamSettings(config) ?? {};
  const known: StreamConfig[] = [];
  const check = (path: string, read: () => StreamConfig): void => {
    checkAt(path, () => {
      const made = refusing(read);
      for (const { name, subjects = [] } of known) {
        if (name === made.name) throw invalid(`there is a stream "${name}" already`);
        if (subjects.some((one) => (made.subjects ?? []).some((other) => overlap(one, other)))) {
          throw invalid(`its subjects overlap with those of "${name}"`);
        }
      }
      known.push(made);
    });
  };
  streams.forEach((stream, index) => check(`/jetstream/streams/${index}`, () => readStream(stream)));
  buckets.forEach((bucket, index) => check(`/jetstream/buckets/${index}`, () => readBucket(bucket)));
}

/** A stream as a configuration has it. */
export type ConfiguredStream = JetStreamSettings['streams'][number];

/** What a stream that is given as in a configuration is. @throws BacklotError `invalid` */
export function configOf(stream: ConfiguredStream): StreamConfig {
  return refusing(() => readStream(stream));
}

function refusing(read: () => StreamConfig): StreamConfig {
  try {
    return read();
  } catch (error) {
    throw error instanceof ApiError ? invalid(error.message) : error;
  }
}

function readStream(stream: JetStreamSettings['streams'][number]): StreamConfig {
  const { max_age: age, duplicate_window: window, ...rest } = stream;
  const fields = new Fields({
    ...rest,
    ...(age === undefined ? {} : { max_age: nanoseconds(age) }),
    ...(window === undefined ? {} : { duplicate_window: nanoseconds(window) }),
  });
  return readStreamConfig(fields, stream.name);
}

/** A bucket of keys and values is a stream (NATS ADR-8). */
function readBucket({
  name,
  description,
  history = 1,
  ttl,
  max_bytes: bytes,
}: JetStreamSettings['buckets'][number]): StreamConfig {
  const stream = `KV_${name}`;
  return readStreamConfig(
    new Fields({
      name: stream,
      description,
      subjects: [`$KV.${name}.>`],
      max_msgs_per_subject: history,
      max_age: ttl === undefined ? 0 : nanoseconds(ttl),
      max_bytes: bytes ?? -1,
      discard: 'new',
      deny_delete: true,
      allow_rollup_hdrs: true,
      allow_direct: true,
    }),
    stream,
  );
}

function nanoseconds(duration: string): number {
  return parseDuration(duration) * MILLISECOND;
}
