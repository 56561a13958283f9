import type { Connection } from '@backlot/kit';
import type { HttpAnswer, Replier, RequestHead } from '@backlot/kit/http';
import type { MediaType } from './answer/result-answer.js';
import type { IncrementalFormat } from './incremental/payloads.js';
import type { Plan } from './schema/engine.js';
import type { Accepted } from './wire/accepted.js';
import type { ResultChannel } from './wire/result-channel.js';

/** How parts of a result are delivered that the client has put off, and what of the request says so. */
export interface Incremental {
  readonly format: IncrementalFormat;
  readonly channel: ResultChannel;
  /** The document. */
  readonly text: string;
  /** The name of the operation. */
  readonly name: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A request as an upstream gets it. */
export interface Arrived {
  /** Absent when there is none. */
  readonly body?: Buffer | undefined;
  /** Whether content codings were taken off the body. */
  readonly isDecoded: boolean;
  /** Who is given the answer of the upstream. */
  readonly reply: Replier;
}

/** One request on its way through the server. */
export interface HttpCall {
  readonly head: RequestHead;
  readonly reply: Replier;
  readonly connection: Connection;
  readonly type: MediaType;
  /** In which forms the client takes several results. */
  readonly accepted: Accepted;
  /** What is asked for by the schema, where there is one. */
  plan?: Plan;
  /** Where the results of a subscription go, where the client takes them over HTTP. */
  readonly channel?: ResultChannel;
  readonly incremental?: Incremental;
  /** The request as it came, where an upstream may get it. */
  arrived?: Arrived;
  /** Looks at the answer of a mock before it is sent; told nothing of one that is no whole answer. */
  compare?: ((answer: HttpAnswer | undefined) => void) | undefined;
}
