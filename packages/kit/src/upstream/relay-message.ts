import { messageOf, type Exchange, type Message, type Reply } from '@backlot/core/plugin';
import type { RecordedPair } from '../recording/recording-book.js';
import { timers } from '../timers.js';
import { describeFailure, type UpstreamLog } from './upstream-log.js';
import type { UpstreamDesk } from './upstream-desk.js';

/** Milliseconds after which a mock answers without what the upstream would have said. */
export const COMPARE_TIMEOUT = 10_000;

/** What became of an answer of the upstream, without its secrets. */
export interface KeptAnswer {
  /** As the journal shows it. */
  readonly reply: Reply;
  /** The mocks that give it; or why there are none, in words that follow "it is not recorded:". */
  readonly recordings: readonly RecordedPair[] | string;
  /** What of the message became patterns in these, and by which rules. */
  readonly patterns?: readonly string[];
}

/** The outcome of an exchange. */
export type OutcomeOf<E extends { resolve(): unknown }> = Awaited<ReturnType<E['resolve']>>;

/** One message on its way to an upstream, or to the mocks in its place: what a kind gives to have it answered by the mode. */
export interface RelayedMessage<A, E extends Exchange = Exchange> {
  readonly exchange: E;
  /** The key of its recording: messages with the same one are answered by the same mocks. Absent where there is none. */
  readonly key: string | undefined;
  /** Says when its upstream fails; that of the desk when absent. */
  readonly upstreamLog?: UpstreamLog;
  /** The message without its secrets, as the journal keeps it. */
  kept(): Message;
  /** Whether no mock is asked: the message belongs to what has gone to the upstream before it. */
  readonly isUpstreams?: boolean;
  /** Whether its answer has no end, such as that of a subscription, so that a mock answers alone also in the mode `diff`. */
  readonly isEndless?: boolean;
  /**
   * Asks the upstream.
   *
   * @param passes - whether its answer is for the client, so that a long one may be given to it while it comes
   * @returns a promise that is rejected when it gives no answer
   */
  forward(passes: boolean): Promise<A>;
  /** Answers as the upstream has. */
  pass(answer: A): unknown;
  /** Tells the client that there is no answer. */
  refuse(problem: Error): void;
  /** Takes the secrets out of an answer, and makes mocks of it where they are wanted. */
  keep(answer: A, records: boolean): KeptAnswer;
  /**
   * Answers without the upstream, and ends the exchange.
   *
   * @param compare - to be called with the answer before the exchange is ended, where there is one
   */
  answer(outcome: OutcomeOf<E>, compare: ((answer: A) => void) | undefined): unknown;
  /** Where the answer of the upstream is another one than that of the mocks, a sentence each. */
  differences(mocked: A, real: A): readonly string[];
}

/**
 * Has a message answered by mocks, by the upstream, or by both, as the mode says, and keeps what the upstream answers.
 *
 * @returns a promise that resolves when it is answered; it is rejected for what is wrong within the kind
 */
export async function relayMessage<A, E extends Exchange>(
  desk: UpstreamDesk,
  relayed: RelayedMessage<A, E>,
): Promise<void> {
  const { exchange, key, isUpstreams } = relayed;
  const asksMocks = isUpstreams !== true && desk.asksMocks(key);
  const outcome = await (asksMocks ? exchange.resolve() : exchange.resolve({ mocks: false }));
  const answerer = desk.answererOf(outcome);
  // Whatever becomes of it, the log has the message without its secrets.
  exchange.noteUpstream({}, relayed.kept());
  if (answerer === 'upstream') await passOn(desk, relayed);
  else if (answerer === 'both' && relayed.isEndless !== true)
    await compare(desk, relayed, outcome as OutcomeOf<E>);
  else await relayed.answer(outcome as OutcomeOf<E>, undefined);
}

async function passOn<A, E extends Exchange>(
  desk: UpstreamDesk,
  relayed: RelayedMessage<A, E>,
): Promise<void> {
  const { exchange, upstreamLog = desk.upstreamLog } = relayed;
  let answer: A;
  try {
    answer = await relayed.forward(true);
  } catch (thrown) {
    if (exchange.ended) return;
    upstreamLog.failed(thrown);
    const problem = new Error(`the upstream gave no answer: ${describeFailure(thrown)}`);
    relayed.refuse(problem);
    exchange.done({ status: problem.message });
    return;
  }
  upstreamLog.worked();
  if (exchange.ended) return;
  const { reply, recordings, patterns } = relayed.keep(answer, desk.records);
  if (typeof recordings === 'string' && desk.records) desk.tell(exchange, 'recorded', recordings);
  // What was recorded is there when the client has its answer.
  desk.record(exchange, typeof recordings === 'string' ? [] : recordings, patterns);
  await relayed.pass(answer);
  exchange.done(reply);
}

async function compare<A, E extends Exchange>(
  desk: UpstreamDesk,
  relayed: RelayedMessage<A, E>,
  outcome: OutcomeOf<E>,
): Promise<void> {
  const { exchange, upstreamLog = desk.upstreamLog } = relayed;
  const real = await within(COMPARE_TIMEOUT, relayed.forward(false)).catch((thrown: unknown) => {
    upstreamLog.failed(thrown);
    return `the upstream gave no answer: ${describeFailure(thrown)}`;
  });
  if (exchange.ended) return;
  const say = (differences: readonly string[]): void => exchange.noteUpstream({ differences });
  if (typeof real === 'string') {
    say([real]);
    await relayed.answer(outcome, undefined);
    return;
  }
  upstreamLog.worked();
  say(['the answers were not compared: the mock gives no whole answer']);
  await relayed.answer(outcome, (mocked) => {
    try {
      say(relayed.differences(mocked, real.answer));
    } catch (thrown) {
      say([`the answers were not compared: ${messageOf(thrown)}`]);
    }
  });
}

function within<A>(milliseconds: number, coming: Promise<A>): Promise<{ readonly answer: A }> {
  return new Promise((resolve, reject) => {
    const timer = timers.after(milliseconds, () =>
      reject(new Error(`it has not answered within ${milliseconds / 1000} s`)),
    );
    coming.then((answer) => resolve({ answer }), reject).finally(() => timer.cancel());
  });
}
