import { runInSlices } from '@backlot/core/plugin';
import { redactJsonSteps, relayMessage } from '@backlot/kit/upstream';
import { upgradeHeaders, upstreamConnector } from '@backlot/kit/http-upstream';
import type { Failure } from '../answer/failure.js';
import type { GraphqlExchange } from '../shape.js';
import type { GraphqlSocket } from '../socket/graphql-socket.js';
import type { OperationRelay, SocketOperationParts } from '../socket/operation-relay.js';
import { differencesOf, shownOf } from './compared.js';
import { keepResult } from './kept-answer.js';
import type { Relay } from './relay.js';
import { UpstreamSocket } from './upstream-socket.js';
import { withoutSecrets } from './without-secrets.js';

/** What the upstream has answered. */
interface Answer {
  /** The one result, without secrets and as it came; of several the first ones as they are shown. */
  readonly body: string;
  readonly raw: string;
  /** The errors that it has ended with, as JSON. */
  readonly errors?: string;
  /** Whether the client has the results. */
  readonly isGiven: boolean;
}

const MAX_SHOWN = 128 * 1024;
const MAX_KEPT = 2 * 1024 * 1024;

/** What one client says by WebSocket, and what the upstream answers: it has a socket of its own there. */
export class SocketRelay implements OperationRelay {
  readonly #relay: Relay;
  readonly #socket: GraphqlSocket;
  readonly #maxPayload: number;
  #far: UpstreamSocket | undefined;
  /** Whether the upstream has closed its socket with a code. */
  #hasClosed = false;

  constructor(relay: Relay, socket: GraphqlSocket, maxPayload: number) {
    this.#relay = relay;
    this.#socket = socket;
    this.#maxPayload = maxPayload;
    socket.connection.onClose(() => this.#far?.close());
  }

  async open(connectionParams: unknown): Promise<Record<string, unknown> | true> {
    const { upstream, authorities, desk } = this.#relay;
    const { request, connection } = this.#socket;
    const { host, port } = upstream;
    const name = host.includes(':') ? `[${host}]` : host;
    const leaving = new AbortController();
    connection.onClose(() => leaving.abort());
    const far = new UpstreamSocket({
      url: `ws://${name}:${port}${this.#relay.targetOf(request.url ?? '/')}`,
      headers: upgradeHeaders(request.rawHeaders),
      createConnection: upstreamConnector(upstream, { authorities, signal: leaving.signal }),
      connectionParams,
      maxPayload: this.#maxPayload,
      isolate: (callback) => connection.isolate(callback),
      onEnd: ({ code, reason }) => this.#ended(code, reason),
    });
    this.#far = far;
    try {
      const payload = await far.acknowledged;
      desk.upstreamLog.worked();
      return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : true;
    } catch (thrown) {
      if (leaving.signal.aborted) return true;
      if (!this.#hasClosed) desk.upstreamLog.failed(thrown);
      if (!desk.asksMocks(undefined) && !this.#hasClosed)
        this.#socket.close(1011, 'the upstream cannot be reached');
      return true;
    }
  }

  #ended(code: number, reason: string): void {
    // Codes that are never sent say that it was lost, or not there.
    const isSent = code >= 1000 && code !== 1005 && code !== 1006 && code !== 1015;
    if (!isSent) return;
    this.#hasClosed = true;
    this.#socket.close(code, reason);
  }

  take(parts: SocketOperationParts): (isGone: boolean) => void {
    const { exchange, client, isUpstreams } = parts;
    const { message } = exchange;
    const { desk } = this.#relay;
    const match = this.#relay.matchOf(message);
    let giveUp: (isGone: boolean) => void = () => undefined;
    relayMessage<Answer, GraphqlExchange>(desk, {
      exchange,
      key: match?.key,
      isUpstreams,
      isEndless: message.method === 'subscription',
      kept: () => withoutSecrets(message),
      forward: (passes) => this.#forward(parts, passes, (stop) => (giveUp = stop)),
      pass: ({ raw, errors, isGiven }) => {
        if (!isGiven && raw !== '') client.send(raw);
        if (errors === undefined) client.complete();
        else client.fail(JSON.parse(errors) as readonly Failure[]);
      },
      refuse: (problem) => client.fail([{ message: problem.message }]),
      keep: ({ body, errors, isGiven }) => {
        if (errors !== undefined && body === '')
          return keepResult({ body: `{"errors":${shownOf(errors)}}` }, match);
        return keepResult({ body, unrecorded: isGiven ? 'it comes in parts' : undefined }, match);
      },
      answer: (outcome, compare) =>
        client.answer(
          outcome,
          compare && ((result) => compare({ body: shownOf(result), raw: result, isGiven: false })),
        ),
      differences: (mocked, real) =>
        differencesOf(
          { body: mocked.body },
          { body: real.errors === undefined ? real.body : `{"errors":${shownOf(real.errors)}}` },
        ),
    }).catch((thrown: unknown) => client.fail([{ message: String(thrown) }]));
    return (isGone) => giveUp(isGone);
  }

  #forward(
    { id, payload, exchange, client }: SocketOperationParts,
    passes: boolean,
    setStop: (stop: (isGone: boolean) => void) => void,
  ): Promise<Answer> {
    const far = this.#far;
    const isStream = exchange.message.method === 'subscription';
    return new Promise((resolve, reject) => {
      if (far === undefined) return reject(new Error('the client has not opened its connection'));
      let held: string | undefined;
      let shown = '';
      let isGiven = false;
      const give = (result: string): void => {
        if (!isGiven) exchange.noteUpstream({ answered: true });
        isGiven = true;
        if (!passes) return;
        client.send(result);
        shown += `${shown === '' ? '' : '\n'}${shownOf(result.slice(0, MAX_SHOWN))}`.slice(
          0,
          MAX_SHOWN - shown.length,
        );
        exchange.started({ body: shown });
        this.#slowDown(far);
      };
      const finish = async (errors?: string): Promise<void> => {
        const raw = held ?? '';
        const body = isGiven ? shown : await runInSlices(redactJsonSteps(raw));
        resolve({ body, raw, isGiven, ...(errors === undefined ? {} : { errors }) });
      };
      const stop = far.subscribe(id, payload, {
        next: (result) => {
          if (!isStream && !isGiven && held === undefined && result.length <= MAX_KEPT) {
            held = result;
            return;
          }
          if (held !== undefined) give(held);
          held = undefined;
          give(result);
        },
        error: (errors) => void finish(errors),
        complete: () => void finish(),
        lost: reject,
      });
      setStop((isGone) => {
        stop();
        if (!exchange.ended && isStream && !isGone) exchange.done({ body: shown });
        reject(new Error('the client has completed it'));
      });
    });
  }

  /** Reads no more of the upstream while the client does not take what it has said. */
  #slowDown(far: UpstreamSocket): void {
    const { writer } = this.#socket;
    if (!writer.isChoked) return;
    far.pause();
    writer.whenDrained(() => far.resume());
  }
}
