import { API_ERRORS } from './errors.js';
import type { Stream } from './stream.js';

/** What a publisher has said of the stream in headers. */
export interface Expected {
  readonly header: (name: string) => string;
  /** Of `Nats-Msg-Id`. */
  readonly id: string;
  readonly subject: string;
}

/**
 * Checks what a publisher expects of a stream (headers `Nats-Expected-*`).
 *
 * @returns the sequence of the message that has the same id already
 * @throws ApiError when the stream is not as expected
 */
export function checkExpectations(
  { config, duplicates, messages }: Stream,
  { header, id, subject }: Expected,
): number | undefined {
  const name = header('Nats-Expected-Stream');
  if (name !== '' && name !== config.name) throw API_ERRORS.streamNotMatch();
  const duplicate = id === '' ? undefined : duplicates.find(id, config.duplicate_window ?? 0);
  if (duplicate !== undefined) return duplicate;
  const ofSubject = numberOf(header('Nats-Expected-Last-Subject-Sequence'));
  if (ofSubject !== undefined) {
    const last = messages.subjects.get(subject)?.last?.sequence ?? 0;
    if (last !== ofSubject) throw API_ERRORS.wrongLastSequence(last);
  }
  const last = numberOf(header('Nats-Expected-Last-Sequence'));
  if (last !== undefined && last !== messages.lastSequence) {
    throw API_ERRORS.wrongLastSequence(messages.lastSequence);
  }
  const lastId = header('Nats-Expected-Last-Msg-Id');
  if (lastId !== '' && lastId !== duplicates.last) throw API_ERRORS.wrongLastMessageId(duplicates.last);
  return undefined;
}

function numberOf(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
