import type { Aborted, Match, Outcome } from '../contract/outcome.js';
import type { MockMatch } from './match.js';
import { askFunction, type AskingExchange } from './respond.js';

/** The outcome of an exchange whose client has left. */
export const ABORTED: Aborted = Object.freeze({ type: 'aborted' });

/**
 * Lets the functions of the mocks that have matched answer, where there are some.
 *
 * @param reading - ends when the rows are read that functions may ask for
 * @returns the outcome with their answers; a promise only where one has to be waited for
 */
export function askFunctions(
  exchange: AskingExchange,
  outcome: Outcome,
  matches: readonly MockMatch[],
  reading: Promise<void> | undefined,
): Outcome | Promise<Outcome> {
  if (!matches.some(({ mock }) => mock.responder !== undefined)) return outcome;
  const answered = matches.map((match) => askFunctionAfter(exchange, match, reading));
  const decide = (all: readonly Match[]): Outcome =>
    outcome.type === 'all' ? { type: 'all', matches: all } : (all[0] ?? outcome);
  if (!answered.some((match) => match instanceof Promise)) return decide(answered as Match[]);
  return Promise.all(answered.map(async (match) => match)).then((all) =>
    exchange.ended ? ABORTED : decide(all),
  );
}

/** The match with what its function answers, when it has one; asked once its rows were read. */
export function askFunctionAfter(
  exchange: AskingExchange,
  match: MockMatch,
  reading: Promise<void> | undefined,
): Match | Promise<Match> {
  const { responder } = match.mock;
  if (responder === undefined) return match;
  if (reading === undefined) return askFunction(exchange, match, responder);
  return reading.then(() => (exchange.ended ? match : askFunction(exchange, match, responder)));
}
