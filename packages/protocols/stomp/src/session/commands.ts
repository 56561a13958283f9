import { runInSlices } from '@backlot/core/plugin';
import type { Frame } from '../wire/frame.js';
import { show, StompError } from '../wire/stomp-error.js';
import type { Version } from '../wire/version.js';
import type { Arrival, Outcome } from './intake.js';
import type { Session } from './session.js';
import { missing } from './subscriptions.js';
import type { Operation } from './transactions.js';

/** Handles one frame; a promise when it has to wait. */
type Handler = (session: Session, frame: Frame) => Promise<void> | undefined;

/** What each client frame does. */
export const COMMANDS = {
  CONNECT: (session, frame) => session.connect(frame),
  STOMP: (session, frame) => session.connect(frame),
  SEND: takeSend,
  SUBSCRIBE: takeSubscribe,
  UNSUBSCRIBE: (session, frame) => void session.subscriptions.remove(frame, session.version),
  ACK: takeSettlement,
  NACK: takeSettlement,
  BEGIN: (session, { headers }) => void session.transactions.begin(headers['transaction']),
  COMMIT: (session, { headers }) =>
    takeOperations(session, session.transactions.end(headers['transaction'], 'COMMIT')),
  ABORT: (session, { headers }) => void session.transactions.end(headers['transaction'], 'ABORT'),
  DISCONNECT: (session) => void session.disconnect(),
} satisfies Readonly<Record<string, Handler>>;

type Command = keyof typeof COMMANDS;

/**
 * The command of a frame.
 *
 * @param version - of the session; `undefined` before CONNECT
 * @throws StompError when there is no such command, or not now
 */
export function commandOf({ command, body }: Frame, version: Version | undefined): Command {
  if (!isCommand(command))
    throw new StompError(
      'unknown command',
      `${show(command)} is no command of a client; there are ${Object.keys(COMMANDS).join(', ')}`,
    );
  const isFirst = command === 'CONNECT' || command === 'STOMP';
  if (version === undefined && !isFirst)
    throw new StompError('not connected', `${command} came before CONNECT`);
  // 1.0 says only that such a body is ignored.
  if (body.length > 0 && command !== 'SEND' && version !== undefined && version !== '1.0')
    throw new StompError(
      'unexpected body',
      `${command} has a body of ${body.length} bytes; only SEND may have one`,
    );
  return command;
}

function isCommand(command: string): command is Command {
  return Object.hasOwn(COMMANDS, command);
}

function takeSend(session: Session, frame: Frame): Promise<void> | undefined {
  const { destination, transaction } = frame.headers;
  if (destination === undefined || destination === '') throw missing('SEND', 'destination');
  session.prepare(frame);
  if (transaction !== undefined) {
    session.transactions.add(transaction, { type: 'send', frame });
    return undefined;
  }
  const arrival = session.receive(frame);
  const { exchange, outcome } = arrival;
  const isFaulted = exchange.faulted;
  // Without an answer that could wait, it is the message itself that a delay holds back.
  const isLate = outcome instanceof Promise && !exchange.matched;
  const published = isFaulted || isLate ? undefined : session.intake.publish(arrival);
  if (outcome instanceof Promise)
    return outcome.then((late) => {
      const publishedLate = !isFaulted && isLate ? session.intake.publish(arrival) : published;
      answer(session, [arrival], [late]);
      return publishedLate;
    });
  answer(session, [arrival], [outcome]);
  return published;
}

/** What waits for the subscription, and the answer of a mock, come after the receipt. */
function takeSubscribe(session: Session, frame: Frame): Promise<void> | undefined {
  const { subscriptions, answering } = session;
  const subscription = subscriptions.add(frame, session.version);
  const arrival = session.receiveSubscription(frame);
  const begin = (outcome?: Outcome): void => {
    if (arrival !== undefined && outcome?.type === 'fault') {
      answering.reject(arrival, outcome);
      throw new StompError(outcome.fault.message ?? 'fault injected');
    }
    session.afterwards(() => {
      subscriptions.begin(subscription);
      if (arrival === undefined || outcome === undefined) return;
      // A fault has let it pass: nobody waits for a mock.
      if (outcome.type === 'unmatched') arrival.exchange.answeredFromData();
      answering.give(arrival, outcome, subscription);
    });
  };
  const outcome = arrival?.outcome;
  if (outcome instanceof Promise) return outcome.then(begin);
  begin(outcome);
  return undefined;
}

function takeSettlement(session: Session, frame: Frame): undefined {
  const settlement = session.subscriptions.find(frame, session.version);
  const { transaction } = frame.headers;
  if (transaction === undefined) session.subscriptions.settle(settlement);
  else session.transactions.add(transaction, { type: 'settle', settlement });
}

/**
 * Sends and acknowledges in order, or does none of it when a fault fires for one of the messages. The messages reach
 * their receivers at once; the answers wait for their delays. A long transaction is done in slices of time.
 */
function takeOperations(session: Session, operations: readonly Operation[]): Promise<void> | undefined {
  const done = runInSlices(operate(session, operations));
  return done instanceof Promise ? done.then((late) => late) : done;
}

function* operate(
  session: Session,
  operations: readonly Operation[],
): Generator<undefined, Promise<void> | undefined> {
  const arrivals: (Arrival | undefined)[] = [];
  for (const operation of operations) {
    arrivals.push(operation.type === 'send' ? session.receive(operation.frame) : undefined);
    yield;
  }
  const messages = arrivals.filter((arrival) => arrival !== undefined);
  const published: Promise<void>[] = [];
  if (!messages.some(({ exchange }) => exchange.faulted)) {
    for (const [index, operation] of operations.entries()) {
      const arrival = arrivals[index];
      if (operation.type === 'settle') session.subscriptions.settle(operation.settlement);
      else if (arrival !== undefined) {
        const wide = session.intake.publish(arrival);
        if (wide !== undefined) published.push(wide);
      }
      yield;
    }
  }
  const outcomes = messages.map(({ outcome }) => outcome);
  if (outcomes.some((outcome) => outcome instanceof Promise)) {
    return Promise.all(outcomes.map(async (outcome) => outcome)).then((late) => {
      answer(session, messages, late);
      return settleAll(published);
    });
  }
  const decided = outcomes.filter((outcome): outcome is Outcome => !(outcome instanceof Promise));
  const fault = decided.find((outcome) => outcome.type === 'fault');
  if (fault !== undefined) answer(session, messages, decided);
  else {
    for (const [index, message] of messages.entries()) {
      answer(session, [message], decided.slice(index, index + 1));
      yield;
    }
  }
  return published.length === 0 ? undefined : settleAll(published);
}

async function settleAll(published: readonly Promise<void>[]): Promise<void> {
  await Promise.all(published);
}

function answer({ answering }: Session, messages: readonly Arrival[], outcomes: readonly Outcome[]): void {
  const fault = outcomes.find((outcome) => outcome.type === 'fault');
  messages.forEach((message, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined) return;
    if (fault === undefined) answering.give(message, outcome);
    else answering.reject(message, outcome);
  });
  if (fault !== undefined) throw new StompError(fault.fault.message ?? 'fault injected');
}
