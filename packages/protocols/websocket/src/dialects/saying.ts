import type { ValueTemplate } from '@backlot/core/plugin';

/** Something that a server says in the terms of a dialect. */
export interface Saying {
  /** An event, the answer to the message, an error in its place, one of a stream, or its end. */
  readonly say: 'event' | 'answer' | 'error' | 'item' | 'end';
  /** What the value is called where it is shown; empty where the value says it itself. */
  readonly term: string;
  readonly value: ValueTemplate;
}
