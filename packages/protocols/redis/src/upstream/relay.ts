import { messageOf, type Context, type ExchangeFor, type Upstream } from '@backlot/core/plugin';
import {
  Differences,
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
  /** There is no answer. */
  readonly refuse: () => void;
}

/** Asks an upstream in the place of mocks, or beside them. */
export class Relay {
  readonly upstream: Upstream;
  readonly authorities: Buffer | undefined;
  readonly desk: UpstreamDesk;

  constructor(context: Context<RedisShape>, upstream: Upstream) {
    this.upstream = upstream;
    this.authorities = readAuthorities(upstream);
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: (response) => ({ response }) },
      keepsState: true,
    });
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
      forward: (passes) => line.ask(bytes, passes),
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
