import type { Context, ExchangeFor, OutcomeFor } from '@backlot/core/plugin';
import { describeClient, rollLogin, type Connection } from '@backlot/kit';
import {
  AwaitedAnswers,
  Differences,
  FrameRelay,
  relayFrame,
  type FrameFate,
  type Reached,
} from '@backlot/kit/upstream';
import { renderAnswer } from '../answer.js';
import { captureBytes } from '../capture.js';
import { NatsMessage } from '../message.js';
import { PublishedBytes, type Published } from '../published.js';
import type { NatsShape } from '../shape.js';
import type { Delivery } from '../subscription.js';
import { parseConnect } from '../wire/connect-options.js';
import { ERRORS } from '../wire/errors.js';
import { parseHpub, parseLine, parsePub, parseSub, parseUnsub, splitWords } from '../wire/operation.js';
import { isSubscribable, SUBJECT_SYNTAX } from '../wire/subject.js';
import { compileSubject, type CompiledSubject } from '@backlot/kit/wildcards';
import { readInfo, writeInfo, type OwnFacts } from './info.js';
import { comparedOf, deliveredMessage, matchOf, recordingOf, withoutSecrets } from './kept.js';
import { measureOperation } from './measure.js';
import type { Relay } from './relay.js';

type NatsExchange = ExchangeFor<NatsShape>;
type NatsOutcome = OutcomeFor<NatsShape>;

const LF = 10;
const NOTHING = Buffer.alloc(0);
/** The most subscriptions of a client that are looked at for answers of mocks. */
const MAX_SUBSCRIPTIONS = 100_000;

/** A client whose operations go to an upstream, over a connection of its own. */
export class RelayedSession {
  readonly #connection: Connection;
  readonly #relay: Relay;
  readonly #context: Context<NatsShape>;
  readonly #facts: OwnFacts;
  readonly #passing: FrameRelay;
  readonly #awaited = new AwaitedAnswers<Published>();
  /** By their numbers. */
  readonly #subscriptions = new Map<string, CompiledSubject>();
  #user = '';
  #name = '';

  constructor(connection: Connection, relay: Relay, facts: OwnFacts, reached: Reached) {
    this.#connection = connection;
    this.#relay = relay;
    this.#context = relay.context;
    this.#facts = facts;
    const { upstream, authorities, desk, context } = relay;
    describeClient(connection, () => ({ user: this.#user, client: this.#name }));
    connection.onClose(() => this.#awaited.end());
    this.#passing = new FrameRelay({
      ...{ connection, upstream, authorities, log: desk.upstreamLog },
      warn: (text) => context.log.warn(text),
      reach: () => Promise.resolve(reached),
      toUpstream: { measure: measureOperation, take: (frame) => this.#takeOfClient(frame) },
      toClient: { measure: measureOperation, take: (frame) => this.#takeOfUpstream(frame) },
    });
  }

  #takeOfClient(frame: Buffer): FrameFate | Promise<FrameFate> {
    const lineEnd = frame.indexOf(LF);
    const { name, rest } = parseLine(withoutEnd(frame, lineEnd));
    switch (name) {
      case 'PUB':
        return this.#publish(frame, lineEnd + 1, parsePub(rest, Number.MAX_SAFE_INTEGER));
      case 'HPUB':
        return this.#publish(frame, lineEnd + 1, parseHpub(rest, Number.MAX_SAFE_INTEGER));
      case 'SUB':
        this.#subscribe(rest);
        return 'pass';
      case 'UNSUB': {
        const { sid, max } = parseUnsub(rest);
        if (max === 0) this.#subscriptions.delete(sid);
        return 'pass';
      }
      case 'CONNECT':
        return this.#logIn(rest);
      default:
        return 'pass';
    }
  }

  #takeOfUpstream(frame: Buffer): FrameFate {
    const lineEnd = frame.indexOf(LF);
    const line = withoutEnd(frame, lineEnd);
    const { name, rest } = parseLine(line);
    if (name === 'INFO') return writeInfo(readInfo(line), this.#facts);
    if (name !== 'MSG' && name !== 'HMSG') return 'pass';
    const published = readDelivery(name, rest, frame.subarray(lineEnd + 1, -2));
    const passes = this.#awaited.take(published.subject, published);
    if (passes !== undefined) return passes ? 'pass' : 'drop';
    const exchange = this.#context.receive(deliveredMessage(published, this.#connection.remote));
    exchange.noteUpstream({ answered: true });
    exchange.done();
    return 'pass';
  }

  #logIn(json: string): FrameFate | Promise<FrameFate> {
    const { username, name } = parseConnect(json);
    this.#user = username;
    this.#name = name;
    const rolled = rollLogin(this.#context);
    const begin = (isRefused: boolean): FrameFate => {
      if (!isRefused) return 'pass';
      this.#connection.end(Buffer.from(`-ERR '${ERRORS.authorization}'\r\n`));
      return 'drop';
    };
    if (rolled instanceof Promise) return rolled.then((refusal) => begin(refusal !== undefined));
    return begin(rolled !== undefined);
  }

  #subscribe(rest: string): void {
    const { subject, sid } = parseSub(rest);
    if (this.#subscriptions.size < MAX_SUBSCRIPTIONS && isSubscribable(subject))
      this.#subscriptions.set(sid, compileSubject(subject, SUBJECT_SYNTAX));
  }

  #publish(
    frame: Buffer,
    bodyStart: number,
    { subject, reply, headerSize, size }: ReturnType<typeof parsePub>,
  ): Promise<FrameFate> {
    const body = frame.subarray(bodyStart, bodyStart + size);
    const headers = headerSize === 0 ? undefined : body.subarray(0, headerSize);
    const published = new PublishedBytes(subject, reply, headers, body.subarray(headerSize));
    const { desk, moments } = this.#relay;
    const { remote } = this.#connection;
    const exchange = this.#context.receive(new NatsMessage(published, remote));
    const kept = new NatsMessage(withoutSecrets(published), remote);
    kept.moment = moments.at(exchange.startedAt);
    this.#context.captures.add(kept, captureBytes(kept), exchange);
    const match = reply === '' ? '' : desk.records ? matchOf(published) : '';
    return relayFrame<Published, NatsExchange>(desk, {
      exchange,
      key: typeof match === 'string' ? undefined : match.key,
      kept: () => kept,
      wait: reply === '' ? undefined : (passes) => this.#awaited.wait(reply, passes),
      keep: (answer, records) => ({
        reply: replyOf(answer),
        ...(typeof match === 'string'
          ? { recordings: match === '' || !records ? [] : match }
          : { recordings: recordingOf(match, answer), patterns: match.patterns }),
      }),
      answer: (outcome, hasPassed, compare) => this.#answer(exchange, published, outcome, hasPassed, compare),
      differences: differencesOf,
    });
  }

  async #answer(
    exchange: NatsExchange,
    published: Published,
    outcome: NatsOutcome,
    hasPassed: boolean,
    compare: ((answer: Published) => void) | undefined,
  ): Promise<FrameFate> {
    if (outcome.type === 'fault' && outcome.fault.drop !== true && outcome.match === undefined) {
      exchange.done();
      return 'pass';
    }
    const match = outcome.type === 'matched' ? outcome : outcome.type === 'fault' ? outcome.match : undefined;
    const isDropped = outcome.type === 'fault' && outcome.fault.drop === true;
    if (match === undefined || isDropped) {
      if (outcome.type !== 'aborted') exchange.done();
      return 'drop';
    }
    const { response } = match.mock.compiled;
    const delay = response === undefined ? 0 : match.delayOf(response.delay);
    if (delay > 0 && !(await exchange.wait(delay))) return 'drop';
    const answer = response && renderAnswer(this.#context, match, published, response);
    if (answer === undefined) {
      exchange.done();
      return 'drop';
    }
    const { delivery, reply } = answer;
    compare?.(new PublishedBytes(delivery.subject, '', delivery.headerBytes, Buffer.from(delivery.payload)));
    exchange.done(reply);
    const isReply = delivery.subject === published.reply;
    const sid = isReply ? this.#subscriptionTo(delivery.subject) : undefined;
    if (sid !== undefined) this.#passing.sendToClient(encode('MSG', delivery, ` ${sid}`));
    // What a mock publishes elsewhere goes to all who have subscribed at the upstream.
    else if (hasPassed) this.#passing.sendToUpstream(encode('PUB', delivery, ''));
    else return encode('PUB', delivery, '');
    return 'drop';
  }

  /** The number of the subscription of this client that takes a subject. */
  #subscriptionTo(subject: string): string | undefined {
    for (const [sid, compiled] of this.#subscriptions) if (compiled.test(subject)) return sid;
    return undefined;
  }
}

function withoutEnd(frame: Buffer, lineEnd: number): Buffer {
  return frame.subarray(0, frame[lineEnd - 1] === 13 ? lineEnd - 1 : lineEnd);
}

/** Reads `MSG <subject> <sid> [reply] <size>` and `HMSG <subject> <sid> [reply] <header size> <size>`. */
function readDelivery(name: string, rest: string, body: Buffer): Published {
  const words = splitWords(rest);
  const sizes = name === 'HMSG' ? 2 : 1;
  const reply = words.length > 2 + sizes ? (words[2] ?? '') : '';
  const headerSize = name === 'HMSG' ? Number(words.at(-2)) : 0;
  return new PublishedBytes(
    words[0] ?? '',
    reply,
    headerSize === 0 ? undefined : body.subarray(0, headerSize),
    body.subarray(headerSize),
  );
}

/** A message as an operation. @param sid - of a delivery, with a space before it */
function encode(operation: 'PUB' | 'MSG', { subject, headerBytes, payload }: Delivery, sid: string): Buffer {
  const bytes = Buffer.from(payload);
  const size = bytes.length;
  const head =
    headerBytes === undefined
      ? `${operation} ${subject}${sid} ${size}\r\n`
      : `H${operation} ${subject}${sid} ${headerBytes.length} ${headerBytes.length + size}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), headerBytes ?? NOTHING, bytes, Buffer.from('\r\n')]);
}

function replyOf(answer: Published): { readonly status?: number; readonly body: string | Buffer } {
  const kept = new NatsMessage(withoutSecrets(answer), '');
  const status = kept.sentHeaders['Status'];
  return { ...(typeof status === 'string' ? { status: Number(status) } : {}), body: kept.body };
}

function differencesOf(mocked: Published, real: Published): readonly string[] {
  const differences = new Differences();
  const [ours, theirs] = [comparedOf(mocked), comparedOf(real)];
  differences.compare('payload', ours.payload, theirs.payload);
  for (const name of Object.keys(ours.headers))
    differences.compare(`header ${name}`, ours.headers[name], theirs.headers[name]);
  return differences.found;
}
