import {
  messageOf,
  type Context,
  type ExchangeFor,
  type Json,
  type ListenAddress,
  type Service,
  type Upstream,
} from '@backlot/core/plugin';
import { activeTls, plainAddress, type Connection, type ListenerService } from '@backlot/kit';
import {
  Differences,
  NodeListeners,
  readAuthorities,
  relayMessage,
  UpstreamDesk,
  type KeptAnswer,
  type LineAnswer,
  type PairedLine,
} from '@backlot/kit/upstream';
import type { RedisShape } from '../shape.js';
import type { Resp } from '../wire/reply.js';
import { error } from '../wire/reply.js';
import { journalReply } from '../wire/reply-text.js';
import { toWire } from '../wire/text.js';
import { isRedirection, namesNodes, rewriteAddresses, type PlaceOf } from './cluster.js';
import { asksForSecret, matchOf, withoutSecrets, type KnownRequest } from './request-match.js';
import { plainOf, readResp, redactResp, responseOf, type RespValue } from './resp-value.js';

type RedisExchange = ExchangeFor<RedisShape>;

/** A request on its way. */
export interface RelayedRequest extends KnownRequest {
  readonly exchange: RedisExchange;
  /** In the form of the wire. */
  readonly bytes: string;
  readonly line: PairedLine;
  /** The version of the protocol that its client speaks. */
  readonly resp: Resp;
  /** Why it is not recorded, where that is known; an empty text where nobody needs to be told. */
  readonly unrecorded: string | undefined;
  /** Whether no mock is asked. */
  readonly isUpstreams: boolean;
  /** Where its client finds the nodes of a cluster. */
  readonly placeOf: PlaceOf;
  /** There is no answer. */
  readonly refuse: () => void;
}

/** Asks an upstream in the place of mocks, or beside them. */
export class Relay {
  readonly upstream: Upstream;
  readonly authorities: Buffer | undefined;
  readonly desk: UpstreamDesk;
  readonly #nodes: NodeListeners;
  #isOfCluster = false;
  #mainPort: () => number | undefined = () => undefined;

  /** @param serve - takes a client of a further node of a cluster */
  constructor(
    context: Context<RedisShape>,
    upstream: Upstream,
    serve: (connection: Connection, node: Upstream) => void,
  ) {
    this.upstream = upstream;
    this.authorities = readAuthorities(upstream);
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: (response) => ({ response }) },
      keepsState: true,
    });
    this.#nodes = new NodeListeners({
      context,
      upstream,
      name: 'redis-node',
      url: ({ host, port }) => `redis${activeTls(context.config) === undefined ? '' : 's'}://${host}:${port}`,
      stream: {},
      take: serve,
    });
  }

  /** The service with a listener for each further node of a cluster. */
  beside(service: ListenerService): Service {
    this.#mainPort = () => service.place?.port;
    // A replay is one server, to which a cluster client comes as to a cluster of one node.
    const recordedSettings = (): Json => (this.#isOfCluster ? { cluster: true } : {});
    return Object.assign(this.#nodes.beside(service), { recordedSettings });
  }

  /** Where a client finds a node: on the address by which it has come here. */
  async placeOf(connection: Connection, asked: Upstream, host: string, port: number): Promise<ListenAddress> {
    const { localAddress, localPort = 0 } = connection.socket;
    const own = await this.#nodes.portOf(host === '' ? asked.host : host, port);
    return { host: plainAddress(localAddress ?? ''), port: own ?? this.#mainPort() ?? localPort };
  }

  /** Takes a request. @returns a promise of its answer, once the client has it; `undefined` where the client gets none */
  async take(request: RelayedRequest): Promise<LineAnswer | undefined> {
    const { exchange, bytes, line, unrecorded } = request;
    const match = this.desk.records && unrecorded === undefined ? matchOf(request) : (unrecorded ?? '');
    let answered: LineAnswer | undefined;
    await relayMessage<LineAnswer, RedisExchange>(this.desk, {
      exchange,
      key: typeof match === 'string' ? undefined : match.key,
      isUpstreams: request.isUpstreams,
      kept: () => withoutSecrets(request),
      forward: async (passes) => {
        const answer = await line.ask(bytes, passes);
        if (!answer.isWhole) return answer;
        const name = request.command?.name ?? '';
        if (namesNodes(name, answer.bytes)) this.#isOfCluster = true;
        return {
          ...answer,
          bytes: await rewriteAddresses(name, answer.bytes, request.resp, request.placeOf),
        };
      },
      pass: (answer) => {
        answered = answer;
        line.give(answer);
      },
      refuse: request.refuse,
      keep: (answer, records) => this.#keep(request, answer, records ? match : ''),
      answer: (outcome, compare) => {
        const reply = ownAnswer(outcome, request);
        if (reply === undefined) return;
        answered = { bytes: Buffer.from(reply, 'latin1'), isWhole: true };
        compare?.(answered);
        line.give(answered);
        exchange.done(journalReply(reply));
      },
      differences: (mocked, real) => differencesOf(request, mocked, real),
    });
    return answered;
  }

  #keep(request: RelayedRequest, answer: LineAnswer, match: ReturnType<typeof matchOf>): KeptAnswer {
    if (!answer.isWhole) {
      const reply = { body: `the first ${answer.bytes.length} bytes of it are longer than what is kept` };
      return { reply, recordings: 'it is longer than 2 MiB' };
    }
    let value: RespValue;
    try {
      value = redactedOf(request, answer);
    } catch (thrown) {
      return { reply: { body: '' }, recordings: messageOf(thrown) };
    }
    const reply =
      value.type === 'error'
        ? { status: toText(value.value).split(' ', 1)[0] ?? '', body: toText(value.value) }
        : { body: shown(plainOf(value)) };
    // Where a key is, is nothing that a replay, which has one server, could say.
    if (isRedirection(answer.bytes)) return { reply, recordings: [] };
    if (typeof match === 'string') return { reply, recordings: match === '' ? [] : match };
    try {
      const { key, name, match: fields, patterns } = match;
      return { reply, patterns, recordings: [{ key, name, match: fields, answer: responseOf(value) }] };
    } catch (thrown) {
      return { reply, recordings: messageOf(thrown) };
    }
  }
}

/** What answers without the upstream; `undefined` when the client has left. */
function ownAnswer(
  outcome: Awaited<ReturnType<RedisExchange['resolve']>>,
  { resp }: RelayedRequest,
): string | undefined {
  switch (outcome.type) {
    case 'matched':
      try {
        return outcome.mock.compiled.reply(outcome, resp);
      } catch (thrown) {
        return error(toWire(`ERR mock "${outcome.mock.id}" failed: ${messageOf(thrown)}`));
      }
    case 'fault':
      return error(toWire(outcome.fault.error ?? ''));
    default:
      return undefined;
  }
}

/** An answer without its secrets. */
function redactedOf(request: KnownRequest, { bytes }: LineAnswer): RespValue {
  const value = readResp(bytes.toString('latin1'));
  const isSecret = asksForSecret(request);
  if (value.type !== 'array') return redactResp(value, isSecret(undefined));
  const redacted = redactResp(value, false) as typeof value;
  return { ...value, value: redacted.value.map((item, place) => redactResp(item, isSecret(place))) };
}

function differencesOf(request: KnownRequest, mocked: LineAnswer, real: LineAnswer): readonly string[] {
  if (!mocked.isWhole || !real.isWhole) throw new Error('one is longer than 2 MiB');
  const differences = new Differences();
  differences.compare('answer', plainOf(redactedOf(request, mocked)), plainOf(redactedOf(request, real)));
  return differences.found;
}

function shown(plain: unknown): string {
  if (plain === null) return '(nil)';
  return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

function toText(wire: string): string {
  return Buffer.from(wire, 'latin1').toString('utf8');
}
