import type { Connection } from '@backlot/kit';
import { bytesOf, faultText } from '@backlot/kit/http';
import { refusalByContract } from './contract/gate.js';
import type { Opening } from './connection.js';
import type { DialectName } from './dialects/fields.js';
import type { Speech } from './dialects/speech.js';
import type { Speeches } from './dialects/speeches.js';
import type { Handshake } from './handshake.js';
import { AdmissionProbe, WebsocketMessage } from './message.js';
import type { WebsocketContext, WebsocketExchange, WebsocketOutcome } from './shape.js';
import { INTERNAL_ERROR } from './wire/close-code.js';
import { EarlyData } from './wire/early-data.js';
import { refuseHandshake } from './wire/refuse.js';

const DEFAULT_STATUS = 503;
const DEFAULT_BODY = '{"error":"fault injected"}';

/**
 * Decides about a valid handshake: a mock for the path lets the client in, and a mock that has something to send
 * answers it. Refuses it by itself; `accept` is called when it is accepted, perhaps after a delay.
 */
export function receiveHandshake(
  context: WebsocketContext,
  speeches: Speeches,
  connection: Connection,
  handshake: Handshake,
  accept: (opening: Opening) => void,
): void {
  const probe = new AdmissionProbe(handshake);
  const isKnown = context.mocks.matches(probe);
  handshake.framing = probe.framing;
  if (isKnown)
    handshake.subprotocol = probe.subprotocol === '' ? (handshake.offers[0] ?? '') : probe.subprotocol;
  handshake.dialect = probe.dialect;
  // In a dialect clients connect once they are there: to a namespace, a hub or a topic.
  if (probe.dialect !== '')
    return openDialect(speeches, probe.dialect, connection, handshake, () => accept({}));
  const message = new WebsocketMessage('CONNECT', handshake);
  const exchange = context.receive(message);
  const refusal = refusalByContract(context, exchange);
  if (refusal !== undefined)
    return refuse(connection, exchange, 404, JSON.stringify({ error: refusal.reason }));
  const follow = (outcome: WebsocketOutcome): void => {
    // A client for whom there is a mock misses none, also when that has nothing to send.
    if (isKnown && !exchange.matched) exchange.answeredFromData();
    switch (outcome.type) {
      case 'matched':
        return accept({ mockId: outcome.mock.id, greeting: { exchange, match: outcome } });
      case 'fault': {
        const { status } = outcome.given;
        const body = faultText(outcome.given);
        if (status !== undefined || body !== undefined)
          return refuse(connection, exchange, status ?? DEFAULT_STATUS, body ?? DEFAULT_BODY);
        const { close_code: code = INTERNAL_ERROR, message: reason = '' } = outcome.fault;
        handshake.subprotocol ??= handshake.offers[0] ?? '';
        exchange.done({ status: 101 });
        return accept({ close: { code, reason } });
      }
      case 'aborted':
        return;
      default:
        if (!isKnown) return refuse(connection, exchange, 404, makeNotFound(exchange));
        exchange.done({ status: 101 });
        return accept(probe.mockId === undefined ? {} : { mockId: probe.mockId });
    }
  };
  const outcome = exchange.resolve();
  if (outcome instanceof Promise) waitFor(connection, exchange, outcome, follow);
  else follow(outcome);
}

/** Takes a client that speaks a dialect, whose code may have to be loaded first. */
function openDialect(
  speeches: Speeches,
  name: DialectName,
  connection: Connection,
  handshake: Handshake,
  accept: () => void,
): void {
  const open = (speech: Speech): void => {
    const refusal = speech.whyNot?.(handshake);
    if (refusal === undefined) accept();
    else refuseHandshake(connection, refusal.status, bytesOf(refusal).toString());
  };
  const loaded = speeches.get(name);
  if (loaded !== undefined) return open(loaded);
  connection.busy();
  speeches.load(name).then(
    connection.isolate((speech) => {
      if (!connection.isEnded) open(speech);
      connection.idle();
    }),
    connection.isolate((error: unknown) => {
      throw error;
    }),
  );
}

function waitFor(
  connection: Connection,
  exchange: WebsocketExchange,
  outcome: Promise<WebsocketOutcome>,
  follow: (outcome: WebsocketOutcome) => void,
): void {
  let isOver = false;
  const early = new EarlyData(connection, () => {
    if (!isOver && !exchange.ended) exchange.abort();
  });
  connection.busy();
  outcome.then(
    connection.isolate((late) => {
      isOver = true;
      early.restoreSnapshot();
      if (connection.isEnded) {
        if (!exchange.ended) exchange.abort();
      } else {
        follow(late);
      }
      connection.idle();
    }),
    connection.isolate((error) => {
      throw error;
    }),
  );
}

function refuse(connection: Connection, exchange: WebsocketExchange, status: number, body: string): void {
  refuseHandshake(connection, status, body);
  exchange.done({ status, body });
}

function makeNotFound(exchange: WebsocketExchange): string {
  const { method, path } = exchange.message;
  return JSON.stringify({ error: 'no mock matched', method, path, near_misses: exchange.nearMisses() });
}
