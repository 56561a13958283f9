import { describeClient, rollLogin, type Connection } from '@backlot/kit';
import { FramingError } from '@backlot/kit/framing';
import { AwaitedAnswers, Differences, FrameRelay, relayFrame, type FrameFate } from '@backlot/kit/upstream';
import { renderAnswer } from '../connection/answer.js';
import { readLogin, refusalBy, type LoginFault } from '../connection/authenticate.js';
import { AmqpMessage } from '../message.js';
import type { AmqpExchange, AmqpOutcome } from '../shape.js';
import { basic } from '../wire/classes/basic.js';
import { connection as connectionClass } from '../wire/classes/connection.js';
import { FRAME, FRAME_END, FRAME_OVERHEAD, FRAME_START } from '../wire/frame-types.js';
import { keyOfMethod, readArguments, writeMethod, type ArgumentsFor, type Method } from '../wire/method.js';
import { contentSize, writeContent, writeContentHeader, type Properties } from '../wire/properties.js';
import { ContentGatherer, GIVEN, SENT, type Gathered } from './content-gatherer.js';
import { comparedOf, keptMessage, matchOf, recordingOf, type PassedMessage } from './kept.js';
import type { Relay } from './relay.js';

type Publish = ArgumentsFor<typeof basic.publish>;
type Given = ArgumentsFor<typeof basic.deliver>;

/** RabbitMQ's queue of answers without a queue: each message has its own key behind it. */
const DIRECT_REPLY = 'amq.rabbitmq.reply-to';
/** A key by which nothing is bound: what goes there is confirmed and kept by nobody. */
const NOWHERE = 'backlot.answered-by-a-mock';
const LARGEST_PAYLOAD = 128 * 1024 - FRAME_OVERHEAD;
const A = 0x41;

/** An answer that has come, and is the client's once it is let go. */
interface Answered extends PassedMessage {
  /** Passes it to the client, or this content in its place. */
  readonly release?: (instead?: { readonly properties: Properties; readonly body: Buffer }) => void;
}

/** A client whose frames go to an upstream, over a connection of its own. */
export class RelayedSession {
  readonly #connection: Connection;
  readonly #relay: Relay;
  readonly #passing: FrameRelay;
  readonly #awaited = new AwaitedAnswers<Answered>();
  readonly #sent = new ContentGatherer<Publish>(SENT);
  readonly #given = new ContentGatherer<Given>(GIVEN);
  /** The consumers of direct answers, by channel. */
  readonly #replyConsumers = new Map<number, string>();
  #maxPayload = LARGEST_PAYLOAD;
  #user = '';

  constructor(connection: Connection, relay: Relay) {
    this.#connection = connection;
    this.#relay = relay;
    const { upstream, authorities, desk, context } = relay;
    describeClient(connection, () => ({ user: this.#user }));
    connection.onClose(() => this.#awaited.end());
    this.#passing = new FrameRelay({
      ...{ connection, upstream, authorities, log: desk.upstreamLog },
      warn: (text) => context.log.warn(text),
      toUpstream: { measure: measureFrame, take: (frame) => this.#takeOfClient(frame) },
      toClient: { measure: measureFrame, take: (frame) => this.#takeOfUpstream(frame) },
    });
  }

  #takeOfClient(frame: Buffer): FrameFate | Promise<FrameFate> {
    if (frame[0] === A) return 'pass';
    if (frame[0] === FRAME.method) {
      const refusal = this.#note(frame);
      if (refusal !== undefined) return refusal;
    }
    const step = this.#sent.take(frame);
    if (step === 'kept') return 'drop';
    return 'passes' in step ? step.passes : this.#publish(step);
  }

  /** Keeps what a method means for messages to come. @returns what becomes of a login that a fault is for */
  #note(frame: Buffer): FrameFate | Promise<FrameFate> | undefined {
    const channel = frame.readUInt16BE(1);
    const payload = frame.subarray(FRAME_START, -1);
    switch (keyOfMethod(payload.readUInt16BE(0), payload.readUInt16BE(2))) {
      case keyOf(basic.consume): {
        const { queue, consumerTag } = readArguments(basic.consume, payload);
        if (queue === DIRECT_REPLY) this.#replyConsumers.set(channel, consumerTag);
        return undefined;
      }
      case keyOf(connectionClass.tuneOk): {
        const { frameMax } = readArguments(connectionClass.tuneOk, payload);
        if (frameMax > 0) this.#maxPayload = Math.min(frameMax - FRAME_OVERHEAD, LARGEST_PAYLOAD);
        return undefined;
      }
      case keyOf(connectionClass.startOk):
        return this.#logIn(readArguments(connectionClass.startOk, payload));
      default:
        return undefined;
    }
  }

  #logIn({
    mechanism,
    response,
  }: ArgumentsFor<typeof connectionClass.startOk>): FrameFate | Promise<FrameFate> {
    const { context } = this.#relay;
    // What is no login is for the upstream to refuse.
    if (mechanism === 'PLAIN' || mechanism === 'AMQPLAIN')
      this.#user = readLogin(mechanism, response).username;
    const rolled = rollLogin(context);
    const begin = (refused: LoginFault | undefined): FrameFate => {
      if (refused === undefined) return 'pass';
      const { code, message } = refusalBy(refused, mechanism);
      const values = { replyCode: code, replyText: message, classId: 0, methodId: 0 };
      this.#connection.end(writeMethod(0, connectionClass.close, values));
      return 'drop';
    };
    return rolled instanceof Promise ? rolled.then(begin) : begin(rolled);
  }

  #takeOfUpstream(frame: Buffer): FrameFate | Promise<FrameFate> {
    if (frame[0] === FRAME.method) this.#noteConsumer(frame);
    const step = this.#given.take(frame);
    if (step === 'kept') return 'drop';
    if ('passes' in step) return step.passes;
    const { values, content, bytes, method } = step;
    if (method === basic.return) return bytes;
    const { exchange, routingKey } = values;
    const passed: PassedMessage = { exchange, routingKey, ...content };
    const key = keyOfAnswer(routingKey, content.properties);
    if (this.#relay.desk.mode === 'diff' && this.#awaited.has(key))
      return new Promise((resolve) => {
        this.#awaited.take(key, {
          ...passed,
          release: (instead) => resolve(instead === undefined ? bytes : this.#rewrite(step, instead)),
        });
      });
    if (this.#awaited.take(key, passed) !== undefined) return bytes;
    const exchanged = this.#relay.context.receive(keptMessage('DELIVER', passed, this.#connection.remote));
    exchanged.noteUpstream({ answered: true });
    exchanged.done();
    return bytes;
  }

  /** The name of a consumer that its client has left to the server. */
  #noteConsumer(frame: Buffer): void {
    const channel = frame.readUInt16BE(1);
    const payload = frame.subarray(FRAME_START, -1);
    const isConsumeOk =
      keyOfMethod(payload.readUInt16BE(0), payload.readUInt16BE(2)) === keyOf(basic.consumeOk);
    if (isConsumeOk && this.#replyConsumers.get(channel) === '')
      this.#replyConsumers.set(channel, readArguments(basic.consumeOk, payload).consumerTag);
  }

  #publish({ channel, values, content, bytes }: Gathered<Publish>): Promise<FrameFate> {
    const { context, desk, moments } = this.#relay;
    const { remote } = this.#connection;
    const { exchange: name, routingKey } = values;
    const { properties, body } = content;
    const passed: PassedMessage = { exchange: name, routingKey, properties, body };
    const exchange = context.receive(new AmqpMessage(name, routingKey, properties, body, [], remote));
    const kept = keptMessage('PUBLISH', passed, remote);
    kept.moment = moments.at(exchange.startedAt);
    context.captures.add(kept, kept.body.length + 1024, exchange);
    const { reply_to: replyTo } = properties;
    const match = desk.records && replyTo !== undefined ? matchOf(passed) : '';
    let real: Answered | undefined;
    return relayFrame<Answered, AmqpExchange>(desk, {
      exchange,
      key: typeof match === 'string' ? undefined : match.key,
      kept: () => kept,
      wait:
        replyTo === undefined
          ? undefined
          : async (passes) => {
              real = await this.#awaited.wait(keyOfAnswer(replyTo, properties), passes);
              if (passes) real?.release?.();
              return real;
            },
      keep: (answer, records) => ({
        reply: { body: keptMessage('DELIVER', answer, remote).body },
        ...(typeof match === 'string'
          ? { recordings: match === '' || !records ? [] : match }
          : { recordings: recordingOf(match, answer), patterns: match.patterns }),
      }),
      answer: (outcome, hasPassed, compare) =>
        this.#answer({ exchange, passed, channel, outcome, compare, hasPassed, real: () => real }),
      differences: differencesOf,
    }).then((fate) => {
      // Whatever becomes of the comparison, what is held back for it is let go.
      if (desk.mode === 'diff' && replyTo !== undefined)
        this.#connection.after(COMPARED, () => real?.release?.());
      return fate === 'pass' ? bytes : fate;
    });
  }

  #answer(given: {
    readonly exchange: AmqpExchange;
    readonly passed: PassedMessage;
    readonly channel: number;
    readonly outcome: AmqpOutcome;
    readonly compare: ((answer: Answered) => void) | undefined;
    readonly hasPassed: boolean;
    readonly real: () => Answered | undefined;
  }): FrameFate {
    const { exchange, passed, channel, outcome, compare, hasPassed, real } = given;
    // Goes nowhere, and is confirmed all the same.
    const nowhere = (): FrameFate => {
      if (outcome.type !== 'aborted') exchange.done();
      return this.#write(channel, '', NOWHERE, {}, Buffer.alloc(0));
    };
    if (outcome.type === 'fault' && outcome.fault.drop === false) {
      exchange.done();
      return 'pass';
    }
    if (outcome.type !== 'matched') return nowhere();
    const { response } = outcome.mock.compiled;
    if (response === undefined) return nowhere();
    const { routingKey, body, properties } = passed;
    const answer = renderAnswer(outcome, response, { routingKey, properties, body });
    compare?.(answer);
    exchange.done({ body: answer.body });
    if (hasPassed) {
      real()?.release?.(answer);
      return 'drop';
    }
    const consumer = this.#replyConsumers.get(channel);
    if (answer.routingKey !== DIRECT_REPLY || answer.exchange !== '' || consumer === undefined)
      return this.#write(channel, answer.exchange, answer.routingKey, answer.properties, answer.body);
    const values = {
      consumerTag: consumer,
      deliveryTag: 1,
      redelivered: false,
      ...{ exchange: '', routingKey: DIRECT_REPLY },
    };
    const deliver = writeMethod(channel, basic.deliver, values);
    this.#passing.sendToClient(this.#join(channel, deliver, answer.properties, answer.body));
    return this.#write(channel, '', NOWHERE, {}, Buffer.alloc(0));
  }

  #write(
    channel: number,
    exchange: string,
    routingKey: string,
    properties: Properties,
    body: Buffer,
  ): Buffer {
    const values = { reserved1: 0, exchange, routingKey, mandatory: false, immediate: false };
    return this.#join(channel, writeMethod(channel, basic.publish, values), properties, body);
  }

  /** A delivery with another content. */
  #rewrite(
    { channel, bytes }: Gathered<Given>,
    { properties, body }: { readonly properties: Properties; readonly body: Buffer },
  ): Buffer {
    const end = bytes.readUInt32BE(3) + FRAME_OVERHEAD;
    return this.#join(channel, bytes.subarray(0, end), properties, body);
  }

  #join(channel: number, method: Buffer, properties: Properties, body: Buffer): Buffer {
    const header = writeContentHeader(properties, body.length);
    const content = Buffer.alloc(contentSize(header, body, this.#maxPayload));
    writeContent(content, 0, channel, header, body, this.#maxPayload);
    return Buffer.concat([method, content]);
  }
}

/** Milliseconds after which an answer that was held back for a comparison passes in any case. */
const COMPARED = 11_000;

function keyOf({ classId, methodId }: Pick<Method, 'classId' | 'methodId'>): number {
  return keyOfMethod(classId, methodId);
}

/** What names the answer to a message: the queue where it comes, and what both have in common. */
function keyOfAnswer(queue: string, { correlation_id: correlation = '' }: Properties): string {
  const name = queue.startsWith(DIRECT_REPLY) ? DIRECT_REPLY : queue;
  return `${name} ${correlation}`;
}

/** The header of the protocol, of which a server sends one as well where it speaks another version, or a frame. */
function measureFrame(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] === A) return 8;
  if (end - start < FRAME_START) return 0;
  const length = bytes.readUInt32BE(start + 3) + FRAME_OVERHEAD;
  if (end - start >= length && bytes[start + length - 1] !== FRAME_END)
    throw new FramingError('malformed', 'a frame does not end with octet 206');
  return length;
}

function differencesOf(mocked: Answered, real: Answered): readonly string[] {
  const differences = new Differences();
  const [ours, theirs] = [comparedOf(mocked), comparedOf(real)];
  differences.compare('body', ours.body, theirs.body);
  if (theirs.type !== undefined) differences.compare('content type', ours.type, theirs.type);
  return differences.found;
}
