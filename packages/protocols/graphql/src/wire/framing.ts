import type { Failure } from '../answer/failure.js';
import type { IncrementalFormat } from '../incremental/payloads.js';

/** How several results are written one after another. */
export interface Framing {
  /** The content type. */
  readonly type: string;
  /** What comes before the first one. */
  readonly opening: string;
  /** A result, which is JSON. */
  readonly result: (text: string) => string;
  /** What ends a subscription with errors. */
  readonly failure: (failures: readonly Failure[]) => string;
  /** What comes after the last one. */
  readonly ending: string;
  /** What is written from time to time while there is nothing to say. */
  readonly beat: string;
}

/** Line breaks, which in JSON stand between values alone. */
const LINE_ENDS = /[\r\n]+/g;

// Each is one line of data: clients exist that read no more.
function event(name: string, json: string): string {
  return `event: ${name}\ndata: ${json.replaceAll(LINE_ENDS, ' ')}\n\n`;
}

/** Server-sent events for one operation, the "distinct connections mode" of graphql-sse. */
export const EVENTS: Framing = {
  type: 'text/event-stream; charset=utf-8',
  // So that a client sees at once that it is connected.
  opening: ':\n\n',
  result: (text) => event('next', text),
  failure: (errors) => event('next', JSON.stringify({ errors })),
  ending: 'event: complete\ndata:\n\n',
  beat: ':\n\n',
};

/** Server-sent events of one operation among others, the "single connection mode" of graphql-sse. */
export function eventsOf(operationId: string): Framing {
  const id = JSON.stringify(operationId);
  return {
    ...EVENTS,
    opening: '',
    result: (text) => event('next', `{"id":${id},"payload":${text}}`),
    failure: (errors) => event('next', `{"id":${id},"payload":${JSON.stringify({ errors })}}`),
    ending: event('complete', `{"id":${id}}`),
  };
}

const PART = '\r\nContent-Type: application/json; charset=utf-8\r\n\r\n';
// Each part is closed at once, so that nobody waits for the next one to read it.
const parts = (parameter: string): Omit<Framing, 'failure' | 'beat'> => ({
  type: `multipart/mixed; boundary="-"; ${parameter}`,
  opening: '\r\n---',
  result: (text) => `${PART}${text}\r\n---`,
  ending: '--\r\n',
});

/** The parts of a result of which `@defer` and `@stream` have put something off (RFC 2046, section 5.1). */
export function incrementalParts(format: IncrementalFormat): Framing {
  const framing = parts(format === 'v0.2' ? 'incrementalSpec=v0.2' : `deferSpec=${format}`);
  return {
    ...framing,
    failure: (errors) => framing.result(JSON.stringify({ errors, hasNext: false })),
    beat: '',
  };
}

const subscription = parts('subscriptionSpec=1.0');

/** The results of a subscription as Apollo's clients and routers have them. */
export const SUBSCRIPTION_PARTS: Framing = {
  ...subscription,
  result: (text) => subscription.result(`{"payload":${text}}`),
  failure: (errors) => subscription.result(JSON.stringify({ payload: null, errors })),
  beat: subscription.result('{}'),
};
