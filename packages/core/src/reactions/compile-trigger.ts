import type { JournalEntry } from '../contract/journal.js';
import type { Json } from '../contract/given.js';
import type { ReactionTrigger } from '../contract/reaction.js';
import type { WebhookAttempt } from '../contract/webhook.js';
import type { Problem } from '../errors.js';
import { messageOf } from '../errors.js';
import { compilePattern } from '../patterns/pattern.js';
import type { PatternSource } from '../patterns/pattern-schema.js';
import { parseDuration } from '../time/duration.js';
import { compileExpectation, type FindKind } from '../verify/compile-expectation.js';
import { TRIGGER_FIELDS } from './reaction-schema.js';
import { parseCron } from './cron.js';

const LEAST_EVERY = 10;

/** What sets a reaction off, ready to be asked. */
export type CompiledTrigger =
  | { readonly type: 'message'; readonly kind: string; fits(entry: JournalEntry): boolean }
  | { readonly type: 'state'; fits(key: string, value: string | undefined): boolean }
  | { readonly type: 'fault'; readonly kind: string }
  | { readonly type: 'connection'; readonly kind: string; readonly event: 'opened' | 'closed' | undefined }
  | { readonly type: 'webhook'; fits(attempt: WebhookAttempt): boolean }
  /** The next time after a moment, both milliseconds since 1970. */
  | { readonly type: 'time'; next(after: number): number | undefined };

/**
 * Makes a trigger ready that has passed the schema.
 *
 * @param problems - takes what is wrong, with pointers that begin with `/on`; the result is of no use then
 */
export function compileTrigger(
  on: ReactionTrigger,
  find: FindKind,
  names: readonly string[],
  problems: Problem[],
): CompiledTrigger | undefined {
  const [name = ''] = Object.keys(on);
  const given: unknown = on[name];
  const attempt = <T>(at: string, make: () => T): T | undefined => {
    try {
      return make();
    } catch (thrown) {
      problems.push({ path: `/on/${at}`, message: messageOf(thrown) });
      return undefined;
    }
  };
  switch (Object.hasOwn(TRIGGER_FIELDS, name) ? (name as keyof typeof TRIGGER_FIELDS) : undefined) {
    case 'state':
      return attempt('state', () => stateTrigger(given as Json));
    case 'webhook':
      return attempt('webhook', () => webhookTrigger(given as Json));
    case 'connection':
      return connectionTrigger(given as Json, find, problems);
    case 'fault': {
      const kind = find(String(given));
      if (kind?.fault !== undefined) return { type: 'fault', kind: kind.kind };
      problems.push({ path: '/on/fault', message: `"${String(given)}" is no protocol with faults` });
      return undefined;
    }
    case 'every':
      return attempt('every', () => everyTrigger(String(given)));
    case 'at':
      return attempt('at', () => atTrigger(String(given)));
    case 'cron':
      return attempt('cron', () => {
        const cron = parseCron(String(given));
        return { type: 'time', next: (after) => cron.next(after) };
      });
    case undefined:
      return messageTrigger(on, name, find, names, problems);
  }
}

function messageTrigger(
  on: ReactionTrigger,
  name: string,
  find: FindKind,
  names: readonly string[],
  problems: Problem[],
): CompiledTrigger | undefined {
  const expectation = compileExpectation(on, '/on', find, names, problems);
  return (
    expectation && {
      type: 'message',
      kind: name,
      fits: (entry) => expectation.test(entry) === true,
    }
  );
}

function stateTrigger(given: Json): CompiledTrigger {
  const key = compilePattern(given['key'] as PatternSource);
  const wanted = given['value'];
  const value = wanted === undefined ? undefined : compilePattern(wanted as PatternSource);
  return { type: 'state', fits: (name, now) => key.test(name) && (value === undefined || value.test(now)) };
}

function connectionTrigger(
  { protocol, event }: Json,
  find: FindKind,
  problems: Problem[],
): CompiledTrigger | undefined {
  const kind = find(String(protocol));
  if (kind?.enabled === true && kind.protocol.meta.transport !== 'datagram')
    return { type: 'connection', kind: kind.kind, event: event as 'opened' | 'closed' | undefined };
  problems.push({
    path: '/on/connection/protocol',
    message: `"${String(protocol)}" is no protocol that is enabled and has connections`,
  });
  return undefined;
}

function webhookTrigger({ mock, url, status }: Json): CompiledTrigger {
  const urls = compilePattern(url as PatternSource | undefined);
  const statuses = compilePattern(status as PatternSource | undefined);
  return {
    type: 'webhook',
    fits: (attempt) =>
      (mock === undefined || attempt.mock_id === mock) &&
      urls.test(attempt.url) &&
      statuses.test(attempt.status_code === undefined ? 'failed' : String(attempt.status_code)),
  };
}

function everyTrigger(text: string): CompiledTrigger {
  const milliseconds = parseDuration(text);
  if (milliseconds < LEAST_EVERY) throw new Error(`"${text}" is too short; want ${LEAST_EVERY}ms or longer`);
  return { type: 'time', next: (after) => after + milliseconds };
}

function atTrigger(text: string): CompiledTrigger {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw new Error(`"${text}" is no time as RFC 3339 has it, such as 2030-01-31T12:00:00Z`);
  return { type: 'time', next: (after) => (time > after ? time : undefined) };
}
