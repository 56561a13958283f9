import type { Match } from '../contract/outcome.js';
import { messageOf } from '../errors.js';
import type { AnsweringMock, Responder } from '../mocks/responder.js';
import { afterRealTime } from '../time/clock-real.js';
import { formatDuration } from '../time/duration.js';
import { AnsweredMatch, FailedMock, FunctionFailure } from './answered-match.js';
import { DataMatch } from './data-match.js';
import { Feed } from './feed.js';
import { FunctionContext } from './function-context.js';
import { functionRequest } from './function-request.js';
import type { MockMatch } from './match.js';
import type { KindRuntime } from './runtime.js';

/** The exchange that functions answer. */
export interface AskingExchange {
  readonly runtime: KindRuntime;
  /** Whether it has ended: nobody waits for an answer any more. */
  readonly ended: boolean;
  /** Its number in the journal, 0 before it has one. */
  readonly number: number;
  /** Says why the answer of a mock could not be made. */
  noteFailure(failure: string): void;
  /** Calls back when nobody waits for the answer any more. @returns a function that ends that */
  onLeave(callback: () => void): () => void;
}

/**
 * Asks the function of a mock that has matched.
 *
 * @param isAtOnce - whether nobody can wait for a promise
 * @returns the match as if its mock held the answer; a promise only where the function has given one. It is never rejected:
 * a match whose function has failed has a mock that throws the failure when it is read
 */
export function askFunction(
  exchange: AskingExchange,
  match: MockMatch,
  responder: Responder,
  isAtOnce = false,
): Match | Promise<Match> {
  const first = firstOf(exchange.runtime, match);
  const known = first?.answering;
  const mock =
    known === undefined || (isAtOnce && known instanceof Promise)
      ? call(exchange, match, responder, isAtOnce)
      : known;
  if (first !== undefined && mock !== known) first.answering = keptOf(mock);
  if (!(mock instanceof Promise)) return new AnsweredMatch(match, mock);
  return mock.then((made) => {
    if (first?.answering === mock) first.answering = keptOf(made);
    return new AnsweredMatch(match, made);
  });
}

/**
 * What is kept of the answer that a mock with `once` gives again: a failure is none, and neither is what goes on; the next
 * one asks anew.
 */
function keptOf(mock: AnsweringMock | Promise<AnsweringMock>): typeof mock | undefined {
  return mock instanceof FailedMock || ('feed' in mock && mock.feed !== undefined) ? undefined : mock;
}

/** The first answer of a mock with `once`, which holds what its function has answered. */
function firstOf(
  { services }: KindRuntime,
  match: MockMatch,
): { answering?: AnsweringMock | Promise<AnsweringMock> | undefined } | undefined {
  if (!(match instanceof DataMatch) || match.name === undefined) return undefined;
  return match.first ?? services.once.find(match.name);
}

function call(
  exchange: AskingExchange,
  match: MockMatch,
  responder: Responder,
  isAtOnce: boolean,
): AnsweringMock | Promise<AnsweringMock> {
  const fail = (thrown: unknown): AnsweringMock => {
    const failure = `the function of mock "${match.mock.id}" has failed: ${messageOf(thrown)}`;
    exchange.runtime.log.error(failure);
    exchange.noteFailure(failure);
    context.answered();
    return new FailedMock(match.mock, new FunctionFailure(failure, { cause: thrown }));
  };
  const settle = (returned: unknown): AnsweringMock => {
    try {
      const answering = responder.answer(returned, (source) => {
        return new Feed(
          source,
          () => context.leave(),
          (thrown) => void fail(thrown),
        );
      });
      if (answering.feed === undefined) context.answered();
      return answering;
    } catch (thrown) {
      return fail(thrown);
    }
  };
  const context = new FunctionContext(match, exchange.runtime, {
    protocol: exchange.runtime.kind,
    logId: () => (exchange.number === 0 ? undefined : String(exchange.number)),
  });
  let returned: unknown;
  try {
    returned = responder.make(functionRequest(match.scope.request), context);
  } catch (thrown) {
    return fail(thrown);
  }
  if (!isThenable(returned)) return settle(returned);
  const pending = Promise.resolve(returned);
  if (isAtOnce) {
    pending.catch(() => undefined);
    context.leave();
    return fail(
      new Error(
        'it gave a promise where it makes a part of a larger answer, which cannot wait; return the value itself',
      ),
    );
  }
  return new Promise((resolve) => {
    let isOver = false;
    const finish = (make: () => AnsweringMock, isLate: boolean): void => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      stopListening();
      if (isLate) context.leave();
      resolve(make());
    };
    const stopListening = exchange.onLeave(() => finish(gone, true));
    // Nobody looks at this one.
    const gone = (): AnsweringMock => new FailedMock(match.mock, new Error('its client has left'));
    const limit = exchange.runtime.services.functionLimit;
    const timer = afterRealTime(limit, () =>
      finish(() => fail(new Error(`it has not answered within ${formatDuration(limit)}`)), true),
    );
    pending.then(
      (value) => finish(() => settle(value), false),
      (thrown: unknown) => finish(() => fail(thrown), false),
    );
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
