import type { StreamConfig } from './stream-config.js';

/** A request of the JetStream interface. */
export interface ApiRequest {
  /** The words behind `$JS.API.`. */
  readonly words: readonly string[];
  readonly reply: string;
  readonly payload: Buffer;
}

/** A stream as requests are answered with it. */
export interface StreamView {
  readonly config: StreamConfig;
  readonly created: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
}

/** The steps in which an answer is made that may take long. */
export type AnswerSteps = Generator<undefined, Readonly<Record<string, unknown>>>;
