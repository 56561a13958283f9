import type { AnswerSteps, StreamView } from './api-request.js';
import type { Copier, CopierView } from './copier.js';
import { dateText } from './dates.js';
import { API_ERRORS } from './errors.js';
import { Fields } from './fields.js';
import { SubjectFilter } from './filters.js';
import type { StoredMessage } from './stored-message.js';
import { checkStreamUpdate, readStreamConfig, type StreamConfig } from './stream-config.js';
import type { Stream } from './stream.js';
import type { Streams } from './streams.js';

/** Names, and whole descriptions, in one answer. */
const NAMES_PAGE = 1024;
const LIST_PAGE = 256;
/** The most subjects, and sequences of deleted messages, in one answer. */
const MAX_DETAILS = 100_000;

type Answer = Readonly<Record<string, unknown>>;

/** Requests about streams; each gives its answer without its type. */
export class StreamApi {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  create(name: string, payload: Buffer): Answer {
    const config = readStreamConfig(Fields.read(payload), name);
    const known = this.#streams.find(name);
    if (known !== undefined) {
      if (JSON.stringify(known.config) !== JSON.stringify(config)) throw API_ERRORS.streamNameInUse();
    }
    // What is just made has not begun to copy.
    const described =
      known === undefined ? describeStream(this.#streams.create(config), false) : describeStream(known);
    return { ...described, did_create: true };
  }

  update(name: string, payload: Buffer): Answer {
    const config = readStreamConfig(Fields.read(payload), name);
    const stream = this.#streams.get(name);
    checkStreamUpdate(stream.config, config);
    this.#streams.update(stream, config);
    return describeStream(stream);
  }

  *info(name: string, payload: Buffer): AnswerSteps {
    const stream = this.#streams.get(name);
    const fields = Fields.read(payload, {});
    const described = describeStream(stream);
    const { messages } = stream;
    const state: Record<string, unknown> = { ...described.state };
    const filter = fields.text('subjects_filter');
    if (fields.flag('deleted_details') && messages.deleted > 0) state['deleted'] = deletedOf(stream);
    if (filter === '') return { ...described, state, total: 0, offset: 0, limit: 0 };
    const offset = Math.max(0, fields.number('offset'));
    const sizes: Record<string, number> = Object.create(null) as Record<string, number>;
    const wanted = new SubjectFilter([wire(filter)]);
    let total = 0;
    for (const [subject, { size }] of messages.subjects) {
      if (wanted.fits(subject)) {
        if (total >= offset && total < offset + MAX_DETAILS) sizes[text(subject)] = size;
        total += 1;
      }
      yield;
    }
    if (total > offset) state['subjects'] = sizes;
    return { ...described, state, total, offset, limit: MAX_DETAILS };
  }

  names(payload: Buffer): Answer {
    const { total, offset, page } = this.#page(payload, NAMES_PAGE);
    const streams = page.map(({ config }) => config.name);
    return { total, offset, limit: NAMES_PAGE, streams: streams.length === 0 ? null : streams };
  }

  list(payload: Buffer): Answer {
    const { total, offset, page } = this.#page(payload, LIST_PAGE);
    return { total, offset, limit: LIST_PAGE, streams: page.map((stream) => describeStream(stream)) };
  }

  delete(name: string): Answer {
    this.#streams.delete(this.#streams.get(name));
    return { success: true };
  }

  *purge(name: string, payload: Buffer): AnswerSteps {
    const stream = this.#streams.get(name);
    const fields = Fields.read(payload, {});
    if (stream.config.sealed) throw API_ERRORS.streamSealed();
    if (stream.config.deny_purge) throw API_ERRORS.streamPurge('stream purge not permitted');
    const [before, keep] = [fields.number('seq'), fields.number('keep')];
    if (before > 0 && keep > 0) throw API_ERRORS.badRequest();
    const filter = fields.text('filter');
    const wanted = new SubjectFilter(filter === '' ? [] : [wire(filter)]);
    const purged = yield* stream.purge(wanted, { before, keep });
    return { success: true, purged };
  }

  getMessage(name: string, payload: Buffer): Answer {
    const stream = this.#streams.get(name);
    if (payload.length === 0) throw API_ERRORS.badRequest();
    const message = findMessage(stream, Fields.read(payload), API_ERRORS.badRequest);
    if (message === undefined) throw API_ERRORS.noMessage();
    const { subject, sequence, headerBytes, payload: data, time } = message;
    return {
      message: {
        subject: Buffer.from(subject, 'latin1').toString('utf8'),
        seq: sequence,
        ...(headerBytes === undefined ? {} : { hdrs: headerBytes.toString('base64') }),
        ...(data.length === 0 ? {} : { data: data.toString('base64') }),
        time: dateText(time),
      },
    };
  }

  deleteMessage(name: string, payload: Buffer): Answer {
    const stream = this.#streams.get(name);
    if (payload.length === 0) throw API_ERRORS.badRequest();
    const sequence = Fields.read(payload).number('seq');
    if (stream.config.sealed) throw API_ERRORS.streamSealed();
    if (stream.config.deny_delete) throw API_ERRORS.streamDeleteMessage('message delete not permitted');
    const message = stream.messages.get(sequence);
    if (message === undefined) throw API_ERRORS.sequenceNotFound(sequence);
    stream.remove(message);
    return { success: true };
  }

  #page(
    payload: Buffer,
    limit: number,
  ): { readonly total: number; readonly offset: number; readonly page: readonly Stream[] } {
    const fields = Fields.read(payload, {});
    const subject = wire(fields.text('subject'));
    const all = this.#streams.all().filter((stream) => subject === '' || stream.takes(subject));
    const offset = Math.max(0, fields.number('offset'));
    return { total: all.length, offset, page: all.slice(offset, offset + limit) };
  }
}

/** A stream as requests are answered with it. */
export function describeStream(stream: Stream, copies = true): StreamView {
  const { config, created, messages, consumers, copiers } = stream;
  const { size, deleted, subjects } = messages;
  return {
    config: { ...config, ...(config.subjects === undefined ? {} : { subjects: config.subjects.map(text) }) },
    created: dateText(created),
    state: {
      messages: size,
      bytes: messages.bytes,
      first_seq: messages.lastSequence === 0 ? 0 : messages.firstSequence,
      first_ts: dateText(messages.first?.time ?? 0),
      last_seq: messages.lastSequence,
      last_ts: dateText(messages.lastTime),
      ...(subjects.size === 0 ? {} : { num_subjects: subjects.size }),
      ...(deleted === 0 ? {} : { num_deleted: deleted }),
      consumer_count: consumers.size,
    },
    ...(copies ? describeCopiers(config, copiers) : {}),
  };
}

function describeCopiers(
  { mirror }: StreamConfig,
  copiers: readonly Copier[],
): { readonly mirror?: CopierView; readonly sources?: readonly CopierView[] } {
  const views = copiers.map(({ view }) => view);
  const [first] = views;
  if (first === undefined) return {};
  return mirror === undefined ? { sources: views } : { mirror: first };
}

/** Finds the message that a request asks for: by its sequence, or as the last or the next one of a subject. */
export function findMessage(
  { messages }: Stream,
  fields: Fields,
  bad: () => Error,
): StoredMessage | undefined {
  const sequence = fields.number('seq');
  const [last, next] = [wire(fields.text('last_by_subj')), wire(fields.text('next_by_subj'))];
  if (sequence === 0 && last === '' && next === '') throw bad();
  if (last !== '' && (sequence > 0 || next !== '')) throw bad();
  if (last !== '') return messages.last(new SubjectFilter([last]));
  if (next !== '') return messages.next(sequence, new SubjectFilter([next]));
  return messages.get(sequence);
}

function deletedOf({ messages }: Stream): readonly number[] {
  const deleted: number[] = [];
  let expected = messages.firstSequence;
  for (const { sequence } of messages.values()) {
    while (expected < sequence && deleted.length < MAX_DETAILS) deleted.push(expected++);
    expected = sequence + 1;
  }
  while (expected <= messages.lastSequence && deleted.length < MAX_DETAILS) deleted.push(expected++);
  return deleted;
}

function wire(subject: string): string {
  return Buffer.from(subject, 'utf8').toString('latin1');
}

function text(subject: string): string {
  return Buffer.from(subject, 'latin1').toString('utf8');
}
