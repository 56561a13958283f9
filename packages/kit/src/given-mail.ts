/** What captured messages are given as: each `given` is a {@link GivenMail}. */
export const MAIL = 'mail';

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
