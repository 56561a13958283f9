import type { Connection } from '@backlot/kit';
import type { Replier, RequestHead } from '@backlot/kit/http';
import type { MediaType } from './answer/result-answer.js';
import type { Plan } from './schema/engine.js';

/** One request on its way through the server. */
export interface HttpCall {
  readonly head: RequestHead;
  readonly reply: Replier;
  readonly connection: Connection;
  readonly type: MediaType;
  /** What is asked for by the schema, where there is one. */
  plan?: Plan;
}
