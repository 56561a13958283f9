import type { Random } from '@backlot/core/plugin';
import type { Connection } from '../connection.js';

/** How an answer can be broken: without a byte, by a reset, by bytes that are no answer, or by an end in its midst. */
export type BrokenForm = 'empty' | 'reset' | 'garbage' | 'truncated';
/** The forms in which nothing of the answer is sent. */
export type LostForm = Exclude<BrokenForm, 'truncated'>;

/** How a JSON Schema says a {@link BrokenForm}. */
export const BROKEN_FORMS = {
  anyOf: ['empty', 'reset', 'garbage', 'truncated'].map((form) => ({ const: form, type: 'string' })),
  description:
    'Breaks the answer: `empty` closes without a byte, `reset` resets the connection, `garbage` sends random bytes and closes, ' +
    '`truncated` announces the whole body, sends half of it and drops the connection.',
};

/** More than a status line has, so that every client has read enough to see what it is. */
const GARBAGE_BYTES = 256;

/** Random bytes that no client takes for the beginning of an answer. */
export function garbageBytes(random: Pick<Random, 'int'>): Buffer {
  const bytes = Buffer.from(Array.from({ length: GARBAGE_BYTES }, () => random.int(0, 255)));
  // Neither a letter, such as the one that HTTP begins with, nor a line break, which clients skip.
  bytes[0] = 0x80 + ((bytes[0] ?? 0) & 0x7f);
  return bytes;
}

/** Ends an HTTP/1.1 connection on which an answer is awaited, without that answer. */
export function loseHttp1Answer(
  connection: Pick<Connection, 'end' | 'reset'>,
  form: LostForm,
  random: Pick<Random, 'int'>,
): void {
  if (form === 'reset') connection.reset();
  else connection.end(form === 'garbage' ? garbageBytes(random) : undefined);
}

/** How many bytes of a body a truncated answer sends: half of them. */
export function truncatedLength(size: number): number {
  return Math.floor(size / 2);
}
