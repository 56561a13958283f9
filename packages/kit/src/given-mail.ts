/** What captured messages are given as: each `given` is a {@link GivenMail}. */
export const MAIL = 'mail';

/** Whether what a captured message gives is a mail. */
export function isGivenMail(given: unknown): given is GivenMail {
  if (typeof given !== 'object' || given === null) return false;
  const { id, raw, receivedAt } = given as Partial<Record<keyof GivenMail, unknown>>;
  return typeof id === 'string' && Buffer.isBuffer(raw) && typeof receivedAt === 'number';
}

/** A mail that a kind has captured, as kinds that show mail to clients of their own are handed it. */
export interface GivenMail {
  /** Names it among all captured messages. */
  readonly id: string;
  /** Those of the envelope. */
  readonly recipients: readonly string[];
  /** The message as it came; it never changes. */
  readonly raw: Buffer;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}
