import { describeClient, rollLogin } from '@backlot/kit';
import { ByteReader, FramingError } from '@backlot/kit/framing';
import { AwaitedAnswers, Differences, FrameRelay, relayFrame, type FrameFate } from '@backlot/kit/upstream';
import { MqttMessage } from '../message.js';
import { loginReason } from '../session/admit.js';
import type { MqttExchange, MqttOutcome } from '../session/peer.js';
import { makeAnswer } from '../session/publish-answer.js';
import type { Transport } from '../transport/transport.js';
import { decodePacket } from '../wire/decode.js';
import { encodeAck, encodeConnack } from '../wire/encode.js';
import { encodeLength } from '../wire/encode-properties.js';
import { PACKET, type Version } from '../wire/packet-type.js';
import { Properties, readProperties } from '../wire/properties.js';
import { filterTakes, topicProblem } from '../wire/topic.js';
import { comparedOf, keptMessage, matchOf, recordingOf } from './kept.js';
import { ALLOWED, PUBLISH_ONCE, readPublish, writePublish, type PublishFrame } from './publish-frame.js';
import type { Relay } from './relay.js';

/** The most subscriptions of a client that are looked at for answers. */
const MAX_SUBSCRIPTIONS = 10_000;

/** An answer as it is compared. */
type Answered = Pick<PublishFrame, 'payload' | 'properties'>;

/** A client whose packets go to an upstream, over a connection of its own. */
export class RelayedSession {
  readonly #transport: Transport;
  readonly #relay: Relay;
  readonly #passing: FrameRelay;
  readonly #awaited = new AwaitedAnswers<PublishFrame>();
  readonly #subscriptions = new Set<string>();
  /** Topics by their aliases, of what the client sends and of what it is sent. */
  readonly #sentAliases = new Map<number, string>();
  readonly #givenAliases = new Map<number, string>();
  #version: Version = 4;
  #clientId = '';
  #user = '';

  constructor(transport: Transport, relay: Relay) {
    this.#transport = transport;
    this.#relay = relay;
    const { upstream, authorities, desk, context } = relay;
    const { connection } = transport;
    describeClient(connection, () => ({
      user: this.#user,
      client: this.#clientId,
      subscriptions: [...this.#subscriptions],
    }));
    connection.onClose(() => this.#awaited.end());
    this.#passing = new FrameRelay({
      ...{ connection, upstream, authorities, log: desk.upstreamLog },
      near: {
        onData: (listener) => transport.onData(listener),
        write: (data) => transport.push(Buffer.from(data)),
        pause: () => transport.pause(),
        resume: () => transport.resume(),
      },
      warn: (text) => context.log.warn(text),
      toUpstream: { measure: measurePacket, take: (frame) => this.#takeOfClient(frame) },
      toClient: { measure: measurePacket, take: (frame) => this.#takeOfUpstream(frame) },
    });
  }

  #takeOfClient(frame: Buffer): FrameFate | Promise<FrameFate> {
    switch ((frame[0] ?? 0) >> 4) {
      case PACKET.PUBLISH:
        return this.#publish(frame);
      case PACKET.CONNECT:
        return this.#connect(frame);
      case PACKET.SUBSCRIBE: {
        const packet = decodePacket(frame, this.#version);
        if (packet.type !== 'subscribe') return 'pass';
        for (const { filter } of packet.subscriptions)
          if (this.#subscriptions.size < MAX_SUBSCRIPTIONS) this.#subscriptions.add(filter);
        return 'pass';
      }
      case PACKET.UNSUBSCRIBE: {
        const packet = decodePacket(frame, this.#version);
        if (packet.type === 'unsubscribe')
          for (const filter of packet.filters) this.#subscriptions.delete(filter);
        return 'pass';
      }
      default:
        return 'pass';
    }
  }

  #connect(frame: Buffer): FrameFate | Promise<FrameFate> {
    const packet = decodePacket(frame, 4);
    if (packet.type !== 'connect') return 'pass';
    this.#version = packet.version;
    this.#clientId = packet.clientId;
    this.#user = packet.username ?? '';
    const rolled = rollLogin(this.#relay.context);
    const begin = (refusal: { readonly reason_code?: number | undefined } | undefined): FrameFate => {
      if (refusal === undefined) return 'pass';
      this.#passing.sendToClient(encodeConnack(this.#version, loginReason(refusal.reason_code)));
      this.#transport.end();
      return 'drop';
    };
    return rolled instanceof Promise ? rolled.then(begin) : begin(rolled);
  }

  #takeOfUpstream(frame: Buffer): FrameFate {
    if ((frame[0] ?? 0) >> 4 !== PACKET.PUBLISH) return 'pass';
    const published = readPublish(frame, this.#version, this.#givenAliases);
    const passes = this.#awaited.take(published.topic, published);
    if (passes === false) {
      // The client has not got it, so it is taken here.
      const { qos, id } = published;
      if (qos === 1) this.#passing.sendToUpstream(encodeAck(this.#version, PACKET.PUBACK, id));
      if (qos === 2) this.#passing.sendToUpstream(encodeAck(this.#version, PACKET.PUBREC, id));
      return 'drop';
    }
    if (passes === undefined) {
      const exchange = this.#relay.context.receive(keptMessage('DELIVER', published, this.#from));
      exchange.noteUpstream({ answered: true });
      exchange.done();
    }
    return 'pass';
  }

  get #from(): { readonly remote: string; readonly clientId: string } {
    return { remote: this.#transport.remote, clientId: this.#clientId };
  }

  async #publish(frame: Buffer): Promise<FrameFate> {
    const published = readPublish(frame, this.#version, this.#sentAliases);
    const { topic, payload, qos, retain, properties, propertyBytes } = published;
    const { context, desk, moments } = this.#relay;
    const exchange = context.receive(
      new MqttMessage('PUBLISH', topic, this.#from, { payload, qos, retain, properties }),
    );
    const kept = keptMessage('PUBLISH', published, this.#from);
    kept.moment = moments.at(exchange.startedAt);
    context.captures.add(kept, kept.payload.length + kept.size, exchange);
    const replyTo = this.#replyTo(exchange.message);
    const match = desk.records && replyTo !== undefined ? matchOf(published) : '';
    let isAnswered = false;
    const fate = await relayFrame<Answered, MqttExchange>(desk, {
      exchange,
      key: typeof match === 'string' ? undefined : match.key,
      kept: () => kept,
      wait:
        replyTo === undefined
          ? undefined
          : async (passes) => {
              const answer = await this.#awaited.wait(replyTo, passes);
              isAnswered = answer !== undefined;
              return answer;
            },
      keep: (answer, records) => ({
        reply: { body: keptMessage('DELIVER', answer as PublishFrame, this.#from).payload },
        ...(typeof match === 'string'
          ? { recordings: match === '' || !records ? [] : match }
          : {
              recordings: recordingOf(match, published, answer as PublishFrame),
              patterns: match.patterns,
            }),
      }),
      answer: (outcome, hasPassed, compare) =>
        this.#answer(
          exchange,
          published,
          outcome,
          () => (hasPassed ? (isAnswered ? 'client' : 'upstream') : 'place'),
          compare,
        ),
      differences: differencesOf,
    });
    // The upstream may not have got the packet that has given the alias its topic.
    return fate === 'pass' && published.sentTopic === ''
      ? writePublish(published, topic, retain, propertyBytes, payload)
      : fate;
  }

  /** Where the answer to a message will come, if it is known that one may. */
  #replyTo({ responseTopic, path }: MqttMessage): string | undefined {
    if (responseTopic !== undefined) return responseTopic;
    const named = `${path}/response`;
    if (!this.#relay.pairsByName) return undefined;
    for (const filter of this.#subscriptions) if (filterTakes(filter, named)) return named;
    return undefined;
  }

  async #answer(
    exchange: MqttExchange,
    published: PublishFrame,
    outcome: MqttOutcome,
    whereTo: () => 'place' | 'client' | 'upstream',
    compare: ((answer: Answered) => void) | undefined,
  ): Promise<FrameFate> {
    if (outcome.type === 'fault' && outcome.fault.drop === false && outcome.match === undefined) {
      exchange.done();
      return 'pass';
    }
    const match = outcome.type === 'matched' ? outcome : undefined;
    if (match === undefined) {
      if (outcome.type !== 'aborted') exchange.done();
      return this.#taken(published, outcome.type === 'fault' ? outcome.fault.reason_code : undefined);
    }
    const { response } = match.mock.compiled;
    const delay = response === undefined ? 0 : match.delayOf(response.delay);
    if (delay > 0 && !(await exchange.wait(delay))) return 'drop';
    if (response === undefined) {
      exchange.done({ status: 0 });
      return this.#taken(published, undefined);
    }
    const { topic, payload, properties, retain } = makeAnswer(exchange, match, response);
    const problem = topicProblem(topic);
    if (problem !== undefined) throw new Error(`mock "${match.mock.id}" answers on no topic: ${problem}`);
    const bytes = this.#version === 5 ? properties.bytes : undefined;
    compare?.({ payload: Buffer.from(payload), properties: readBytes(properties.bytes) });
    exchange.done({ status: 0, headers: { topic, ...properties.shown }, body: payload });
    const where = whereTo();
    if (where === 'place') return writePublish(published, topic, retain === true, bytes, payload);
    const own = writePublish(PUBLISH_ONCE, topic, where === 'upstream' && retain === true, bytes, payload);
    if (where === 'client') this.#passing.sendToClient(own);
    else this.#passing.sendToUpstream(own);
    return 'drop';
  }

  /** A message that goes nowhere is acknowledged here. */
  #taken({ qos, id }: PublishFrame, code: number | undefined): FrameFate {
    if (qos === 1) this.#passing.sendToClient(encodeAck(this.#version, PACKET.PUBACK, id, code));
    // The PUBREL that follows is answered by the upstream, which may not know it: that is no error.
    if (qos === 2) this.#passing.sendToClient(encodeAck(this.#version, PACKET.PUBREC, id, code));
    return 'drop';
  }
}

/** @throws FramingError for a remaining length that is none */
function measurePacket(bytes: Buffer, start: number, end: number): number {
  let length = 0;
  for (let index = 0; index < 4; index += 1) {
    const at = start + 1 + index;
    if (at >= end) return 0;
    const byte = bytes[at] ?? 0;
    length += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return 2 + index + length;
  }
  throw new FramingError('malformed', 'a remaining length of more than four bytes');
}

function readBytes(bytes: Buffer): Properties {
  if (bytes.length === 0) return Properties.none;
  return readProperties(new ByteReader(Buffer.concat([encodeLength(bytes.length), bytes])), ALLOWED);
}

function differencesOf(mocked: Answered, real: Answered): readonly string[] {
  const differences = new Differences();
  const [ours, theirs] = [comparedOf(mocked), comparedOf(real)];
  differences.compare('payload', ours.payload, theirs.payload);
  differences.compare('content type', ours.contentType, theirs.contentType);
  differences.compare('user properties', ours.userProperties, theirs.userProperties);
  return differences.found;
}
