import type { IncrementalFormat } from '../incremental/payloads.js';

/** In which forms a client takes several results one after another. */
export interface Accepted {
  /** `text/event-stream`. */
  readonly events: boolean;
  /** `text/event-stream` and nothing that holds one result. */
  readonly eventsAlone: boolean;
  /** `multipart/mixed` with `subscriptionSpec`, as Apollo Client has it. */
  readonly subscriptionParts: boolean;
  /** `multipart/mixed` for what `@defer` and `@stream` put off; in the newer form unless the client names the older one. */
  readonly incrementalParts: IncrementalFormat | undefined;
}

/** One result alone. */
export const ACCEPTS_ONE: Accepted = {
  events: false,
  eventsAlone: false,
  subscriptionParts: false,
  incrementalParts: undefined,
};

const SEVERAL = /multipart\/mixed|text\/event-stream/i;
const ONE = new Set(['*/*', 'application/*', 'application/json', 'application/graphql-response+json']);

/** Reads the Accept header of a request. */
export function readAccepted(accept: string | undefined): Accepted {
  if (accept === undefined || !SEVERAL.test(accept)) return ACCEPTS_ONE;
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim().replaceAll('"', '')))
    .filter((parameters) => !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each)));
  const names = new Set(ranges.map(([name = '']) => name));
  const parts = ranges.filter(([name]) => name === 'multipart/mixed');
  const isOld = parts.some((parameters) => parameters.includes('deferspec=20220824'));
  const isNew = parts.some(
    (parameters) => !parameters.some((each) => /^(?:defer|subscription)spec=/.test(each)),
  );
  const events = names.has('text/event-stream');
  return {
    events,
    eventsAlone: events && parts.length === 0 && ![...names].some((name) => ONE.has(name)),
    subscriptionParts: parts.some((parameters) =>
      parameters.some((each) => each.startsWith('subscriptionspec=')),
    ),
    incrementalParts: isNew ? 'v0.2' : isOld ? '20220824' : undefined,
  };
}
