import { API_ERRORS } from './errors.js';
import type { Fields } from './fields.js';
import { overlap } from './filters.js';
import type { StreamConfig } from './stream-config.js';

/** A stream whose messages another one copies. */
export interface OriginConfig {
  readonly name: string;
  readonly opt_start_seq?: number;
  readonly opt_start_time?: string;
  readonly filter_subject?: string;
}

const MAX_SOURCES = 100;
/** Of other accounts, and of later versions of nats-server than that which the tests run beside. */
const NOT_SUPPORTED = ['external', 'subject_transforms', 'subject_transform_dest'] as const;

/**
 * Reads from where a stream copies.
 *
 * @throws ApiError for what nats-server refuses as well, and for what is not supported
 */
export function readOrigins(fields: Fields): Pick<StreamConfig, 'mirror' | 'sources'> {
  const mirror = fields.object('mirror');
  const sources = fields.objects('sources');
  if (mirror !== undefined) {
    if (fields.texts('subjects').length > 0) throw API_ERRORS.mirrorWithSubjects();
    if (sources.length > 0) throw API_ERRORS.mirrorWithSources();
    return { mirror: readOrigin(mirror) };
  }
  if (sources.length > MAX_SOURCES)
    throw API_ERRORS.streamInvalid(`a stream has ${MAX_SOURCES} sources at most`);
  return sources.length === 0 ? {} : { sources: sources.map(readOrigin) };
}

/** The streams from which one copies. */
export function originsOf({ mirror, sources = [] }: StreamConfig): readonly OriginConfig[] {
  return mirror === undefined ? sources : [mirror];
}

/**
 * Checks a stream that copies against those that there are.
 *
 * @throws ApiError when it would copy from itself, or its filters or limits fit no message of theirs
 */
export function checkOrigins(config: StreamConfig, find: (name: string) => StreamConfig | undefined): void {
  const isMirror = config.mirror !== undefined;
  for (const { name, filter_subject: filter } of originsOf(config)) {
    const origin = find(name);
    if (origin === undefined) continue;
    const isCut = config.max_msg_size > 0 && origin.max_msg_size > config.max_msg_size;
    if (isCut) throw isMirror ? API_ERRORS.mirrorTooBig() : API_ERRORS.sourceTooBig();
    const { subjects = [] } = origin;
    const fits = subjects.length === 0 || subjects.some((subject) => overlap(subject, filter ?? '>'));
    if (!fits && !isMirror) {
      throw API_ERRORS.streamInvalid(
        `source '${name}' filter subject '${filter}' does not overlap with any origin stream subject`,
      );
    }
  }
  const seen = new Set<string>();
  const look = (current: StreamConfig): void => {
    for (const { name } of originsOf(current)) {
      if (name === config.name) throw API_ERRORS.streamInvalid('detected cycle');
      const origin = seen.has(name) ? undefined : find(name);
      seen.add(name);
      if (origin !== undefined) look(origin);
    }
  };
  look(config);
}

function readOrigin(fields: Fields): OriginConfig {
  for (const field of NOT_SUPPORTED) {
    if (fields.has(field)) throw API_ERRORS.streamInvalid(`\`${field}\` is not supported by this server`);
  }
  const sequence = fields.number('opt_start_seq');
  const time = fields.text('opt_start_time');
  const filter = Buffer.from(fields.text('filter_subject'), 'utf8').toString('latin1');
  if (time !== '' && Number.isNaN(Date.parse(time)))
    throw API_ERRORS.invalidJson(`opt_start_time is ${JSON.stringify(time)}; it must be a date of RFC 3339`);
  return {
    name: fields.text('name'),
    ...(sequence > 0 ? { opt_start_seq: sequence } : {}),
    ...(time === '' ? {} : { opt_start_time: time }),
    ...(filter === '' ? {} : { filter_subject: filter }),
  };
}
