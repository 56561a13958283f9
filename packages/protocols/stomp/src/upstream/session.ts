import { isUtf8 } from 'node:buffer';
import type { ExchangeFor } from '@backlot/core/plugin';
import { describeClient, rollLogin } from '@backlot/kit';
import { AwaitedAnswers, Differences, FrameRelay, relayFrame, type FrameFate } from '@backlot/kit/upstream';
import { StompMessage } from '../message.js';
import type { RenderedAnswer } from '../session/render-answer.js';
import type { StompShape } from '../shape.js';
import type { Transport } from '../transport/transport.js';
import type { Frame } from '../wire/frame.js';
import { StompError } from '../wire/stomp-error.js';
import { VERSIONS, type Version } from '../wire/version.js';
import { RelayedAnswers, type Held } from './answers.js';
import { commandOf, PassingFrames, readFrame } from './frames.js';
import { comparedOf, keptMessage, matchOf, recordingOf, replyOf, type PassedMessage } from './kept.js';
import type { Relay } from './relay.js';
import { Subscribed } from './subscribed.js';

type Exchange = ExchangeFor<StompShape>;

/** The most frames of a client whose receipts are waited for. */
const MAX_RECEIPTS = 1_000;
/** Milliseconds after which an answer that was held back for a comparison passes in any case. */
const COMPARED = 11_000;

/** A client whose frames go to an upstream, over a connection of its own. */
export class RelayedSession {
  readonly #transport: Transport;
  readonly #relay: Relay;
  readonly #passing: FrameRelay;
  readonly #answers: RelayedAnswers;
  readonly #awaited = new AwaitedAnswers<Held>();
  readonly #subscribed = new Subscribed();
  /** What a message with a receipt waits for, by that. */
  readonly #receipts = new Map<string, string>();
  #version: Version | undefined;
  #user = '';

  constructor(transport: Transport, relay: Relay) {
    this.#transport = transport;
    this.#relay = relay;
    this.#answers = new RelayedAnswers(relay.context, this.#subscribed, {
      toClient: (frame) => this.#passing.sendToClient(frame),
      toUpstream: (frame) => this.#passing.sendToUpstream(frame),
      fail: () => transport.end('error'),
      isOver: () => transport.isEnded,
    });
    const { upstream, authorities, desk, context } = relay;
    const { connection } = transport;
    describeClient(connection, () => ({
      user: this.#user,
      subscriptions: this.#subscribed.destinations,
    }));
    connection.onClose(() => this.#awaited.end());
    this.#passing = new FrameRelay({
      ...{ connection, upstream, authorities, log: desk.upstreamLog },
      near: {
        onData: (listener) => transport.onData(listener),
        write: (data) => transport.push(Buffer.from(data), isUtf8(data)),
        pause: () => transport.pause(),
        resume: () => transport.resume(),
        end: () => transport.end('done'),
      },
      warn: (text) => context.log.warn(text),
      toUpstream: new PassingFrames((frame) => this.#takeOfClient(frame)),
      toClient: new PassingFrames((frame) => this.#takeOfUpstream(frame)),
    });
  }

  #takeOfClient(frame: Buffer): FrameFate | Promise<FrameFate> {
    switch (commandOf(frame)) {
      case 'SEND':
        return this.#send(frame, readFrame(frame, this.#version));
      case 'CONNECT':
      case 'STOMP':
        return this.#connect(readFrame(frame, undefined));
      case 'SUBSCRIBE':
        return this.#subscribe(frame, readFrame(frame, this.#version));
      case 'UNSUBSCRIBE':
        this.#subscribed.remove(readFrame(frame, this.#version).headers);
        return 'pass';
      case 'ACK':
      case 'NACK': {
        const { headers } = readFrame(frame, this.#version);
        const id = headers[this.#version === '1.2' ? 'id' : 'message-id'] ?? '';
        // The upstream knows nothing of a message that a mock has sent.
        return this.#answers.isOwn(id) ? this.#answers.taken(headers['receipt']) : 'pass';
      }
      default:
        return 'pass';
    }
  }

  #takeOfUpstream(frame: Buffer): FrameFate | Promise<FrameFate> {
    switch (commandOf(frame)) {
      case 'MESSAGE':
        return this.#deliver(frame, readFrame(frame, this.#version));
      case 'CONNECTED': {
        const { version } = readFrame(frame, undefined).headers;
        this.#version = VERSIONS.find((known) => known === version) ?? '1.0';
        this.#answers.version = this.#version;
        this.#transport.connected();
        return 'pass';
      }
      case 'RECEIPT':
        this.#receipts.delete(readFrame(frame, this.#version).headers['receipt-id'] ?? '');
        return 'pass';
      case 'ERROR': {
        const { headers, body } = readFrame(frame, this.#version);
        const key = this.#receipts.get(headers['receipt-id'] ?? '');
        if (key !== undefined)
          this.#awaited.take(key, { error: headers['message'] || body.toString('utf8') || 'ERROR' });
        return 'pass';
      }
      default:
        return 'pass';
    }
  }

  #connect({ headers }: Frame): FrameFate | Promise<FrameFate> {
    this.#user = headers['login'] ?? '';
    const rolled = rollLogin(this.#relay.context);
    const begin = (refusal: { readonly message?: string } | undefined): FrameFate =>
      refusal === undefined
        ? 'pass'
        : this.#answers.fail(new StompError(refusal.message ?? 'login refused'), {});
    return rolled instanceof Promise ? rolled.then(begin) : begin(rolled);
  }

  /** Passes it on, and answers where a mock does: what others publish there comes all the same. */
  async #subscribe(bytes: Buffer, { headers }: Frame): Promise<FrameFate> {
    this.#subscribed.add(headers);
    const { context, desk } = this.#relay;
    const { faults, mocks } = context;
    const { remote } = this.#transport.connection;
    const { destination = '', id = '' } = headers;
    const message = new StompMessage('SUBSCRIBE', destination, headers, '', remote);
    const asksMocks = desk.asksMocks(undefined);
    if (!(asksMocks && mocks.matches(message)) && !faults.isNamed(message)) return 'pass';
    const exchange = context.receive(message);
    const outcome = await (asksMocks ? exchange.resolve() : exchange.resolve({ mocks: false }));
    exchange.noteUpstream({}, keptMessage('SUBSCRIBE', { destination, headers, body: NOTHING }, remote));
    if (outcome.type === 'aborted') return 'drop';
    if (outcome.type === 'fault') return this.#answers.refuse(exchange, outcome.fault.message, headers);
    if (outcome.type !== 'matched') {
      exchange.answeredFromData();
      exchange.done();
      return 'pass';
    }
    this.#answers.play(exchange, outcome, 0, (answer) => {
      if (answer.destination === '') this.#answers.give(id, destination, answer);
      else this.#answers.publish(answer, answer.destination);
    });
    return 'pass';
  }

  #deliver(bytes: Buffer, frame: Frame): FrameFate | Promise<FrameFate> {
    const { headers, body } = frame;
    const { context, desk } = this.#relay;
    const message: PassedMessage = { destination: headers['destination'] ?? '', headers, body };
    const key = Array.from(this.#subscribed.namesOf(headers), (name) =>
      keyOfAnswer(name, headers['correlation-id']),
    ).find((one) => this.#awaited.has(one));
    if (key === undefined) {
      const exchange = context.receive(keptMessage('MESSAGE', message, this.#transport.connection.remote));
      exchange.noteUpstream({ answered: true });
      exchange.done();
      return 'pass';
    }
    if (desk.mode !== 'diff') {
      this.#awaited.take(key, { message });
      return 'pass';
    }
    return new Promise((resolve) => {
      const release = (instead?: RenderedAnswer): void =>
        resolve(instead === undefined ? 'pass' : this.#answers.rewrite(frame, instead));
      this.#transport.connection.after(COMPARED, () => release());
      if (this.#awaited.take(key, { message, release }) === true) release();
    });
  }

  #send(bytes: Buffer, { headers, body }: Frame): Promise<FrameFate> {
    const { destination = '', receipt, 'reply-to': replyTo, 'correlation-id': correlation } = headers;
    const { context, desk, moments } = this.#relay;
    const { remote } = this.#transport.connection;
    const passed: PassedMessage = { destination, headers, body };
    const exchange = context.receive(new StompMessage('SEND', destination, headers, body, remote));
    const kept = keptMessage('SEND', passed, remote);
    kept.captured = { id: this.#answers.nextId(), moment: moments.at(exchange.startedAt) };
    context.captures.add(kept, kept.body.length + kept.size, exchange);
    const match = desk.records && replyTo !== undefined ? matchOf(passed) : '';
    const key = replyTo === undefined ? undefined : keyOfAnswer(replyTo, correlation);
    let real: Held | undefined;
    return relayFrame<Held, Exchange>(desk, {
      exchange,
      key: typeof match === 'string' ? undefined : match.key,
      kept: () => kept,
      wait:
        key === undefined
          ? undefined
          : async (passes) => {
              if (receipt !== undefined && this.#receipts.size < MAX_RECEIPTS)
                this.#receipts.set(receipt, key);
              real = await this.#awaited.wait(key, passes);
              return real;
            },
      keep: (answer, records) => ({
        reply: replyOf(answer),
        ...(typeof match === 'string'
          ? { recordings: match === '' || !records ? [] : match }
          : { recordings: recordingOf(match, passed, answer), patterns: match.patterns }),
      }),
      answer: (outcome, hasPassed, compare) =>
        this.#answers.answer({ exchange, passed, outcome, compare, hasPassed, real: () => real }),
      differences: differencesOf,
    });
  }
}

const NOTHING = Buffer.alloc(0);

/** What names the answer to a message: where it comes, and what both have in common. */
function keyOfAnswer(destination: string, correlation = ''): string {
  return `${destination} ${correlation}`;
}

function differencesOf(mocked: Held, real: Held): readonly string[] {
  const differences = new Differences();
  const [ours, theirs] = [comparedOf(mocked), comparedOf(real)];
  differences.compare('body', ours.body, theirs.body);
  if (theirs.type !== undefined) differences.compare('content type', ours.type, theirs.type);
  return differences.found;
}
