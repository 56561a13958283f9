import { toMilliseconds } from './dates.js';
import { ApiError } from './errors.js';
import { Fields } from './fields.js';

/** What a client says of a message that it got. */
export type AckKind =
  | { readonly type: 'ack' | 'progress' | 'term' }
  /** Milliseconds until it is delivered again. */
  | { readonly type: 'nak'; readonly delay: number };

/** An acknowledgement. */
export interface Acknowledgement {
  readonly kind: AckKind;
  /** It asks for the next messages as well, in the form of a request. */
  readonly next?: Buffer;
}

/** What the subject of an acknowledgement names. */
export interface AckSubject {
  readonly stream: string;
  readonly consumer: string;
  readonly deliveries: number;
  readonly sequence: number;
  readonly delivered: number;
}

const SUBJECT = /^\$JS\.ACK\.([^.]+)\.([^.]+)\.(\d+)\.(\d+)\.(\d+)\.\d+\.\d+$/;

/** Reads `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>`. */
export function readAckSubject(subject: string): AckSubject | undefined {
  const found = SUBJECT.exec(subject);
  if (found === null) return undefined;
  const [, stream = '', consumer = '', deliveries, sequence, delivered] = found;
  return {
    stream,
    consumer,
    deliveries: Number(deliveries),
    sequence: Number(sequence),
    delivered: Number(delivered),
  };
}

/** Reads the payload of an acknowledgement; `undefined` for one that says nothing known. */
export function readAcknowledgement(payload: Buffer): Acknowledgement | undefined {
  const text = payload.toString('latin1');
  if (text === '' || text === '+ACK' || text === '+OK') return { kind: { type: 'ack' } };
  if (text.startsWith('+NXT')) return { kind: { type: 'ack' }, next: payload.subarray('+NXT'.length) };
  if (text.startsWith('-NAK')) {
    return { kind: { type: 'nak', delay: readDelay(payload.subarray('-NAK'.length)) } };
  }
  if (text === '+WPI') return { kind: { type: 'progress' } };
  if (text.startsWith('+TERM')) return { kind: { type: 'term' } };
  return undefined;
}

function readDelay(payload: Buffer): number {
  const text = payload.toString('utf8').trim();
  if (!text.startsWith('{')) return 0;
  try {
    return toMilliseconds(Fields.read(Buffer.from(text)).number('delay'));
  } catch (error) {
    if (error instanceof ApiError) return 0;
    throw error;
  }
}
