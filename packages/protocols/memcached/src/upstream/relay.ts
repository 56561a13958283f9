import { messageOf, type Context, type ExchangeFor, type Upstream } from '@backlot/core/plugin';
import type { Connection } from '@backlot/kit';
import {
  literal,
  PairedLine,
  readAuthorities,
  relayMessage,
  UpstreamDesk,
  type KeptAnswer,
  type OutcomeOf,
} from '@backlot/kit/upstream';
import { COMMANDS } from '../commands.js';
import { replyFor, wordOf } from '../dialects/words.js';
import type { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import type { MemcachedShape } from '../shape.js';
import { fromWire } from '../wire/latin.js';
import { BinaryScanner } from './binary-scanner.js';
import { binaryRequest, readBinaryAnswer } from './binary-wire.js';
import { differencesOf } from './compared.js';
import { isText, matchOf, redactedOf, withoutSecrets, type CommandMatch } from './kept.js';
import { readTextAnswer, textRequest } from './text-wire.js';
import { TextScanner } from './text-scanner.js';

type MemcachedExchange = ExchangeFor<MemcachedShape>;

/** A command on its way. */
export interface RelayedCommand {
  readonly exchange: MemcachedExchange;
  readonly line: PairedLine;
  /** The packet that it came in, where it came in one; one character per byte. */
  readonly frame: string | undefined;
  /** What a mock or a fault answers; `undefined` when the client has left. */
  readonly resultOf: (outcome: OutcomeOf<MemcachedExchange>) => Result | undefined;
  /** Writes the answer. */
  readonly write: (result: Result) => void;
  /** There is no answer. */
  readonly refuse: () => void;
}

/** What no mock can answer, on its way. */
export interface RelayedWords {
  readonly exchange: MemcachedExchange;
  readonly line: PairedLine;
  readonly request: string;
  readonly write: (answer: string) => void;
  readonly refuse: () => void;
}

/** Asks an upstream in the place of mocks, or beside them. One for each service. */
export class Relay {
  readonly desk: UpstreamDesk;
  readonly #upstream: Upstream;
  readonly #authorities: Buffer | undefined;

  constructor(context: Context<MemcachedShape>, upstream: Upstream) {
    this.#upstream = upstream;
    this.#authorities = readAuthorities(upstream);
    this.desk = new UpstreamDesk(context, upstream, {
      form: { as: 'times', answer: (response) => ({ response }) },
      keepsState: true,
    });
  }

  /** The line to the upstream for a client. @param isBinary - whether it speaks the binary protocol */
  lineFor(connection: Connection, isBinary: boolean): PairedLine {
    const scanner = isBinary ? new BinaryScanner() : new TextScanner();
    return new PairedLine(connection, this.#upstream, this.#authorities, this.desk.upstreamLog, scanner);
  }

  /** Takes a command that mocks can answer. @returns a promise that resolves when it is answered */
  take({ exchange, line, frame, resultOf, write, refuse }: RelayedCommand): Promise<void> {
    const { message } = exchange;
    const match = matchOf(message);
    return relayMessage<Result, MemcachedExchange>(this.desk, {
      exchange,
      key: match.key,
      kept: () => withoutSecrets(message),
      forward: async () => {
        const request = frame === undefined ? textRequest(message) : binaryRequest(frame);
        const text = await ask(line, request);
        return frame === undefined ? readTextAnswer(message, text) : readBinaryAnswer(message, text);
      },
      pass: write,
      refuse,
      keep: (answer, records) => keep(message, answer, records ? match : undefined),
      answer: (outcome, compare) => {
        const result = resultOf(outcome);
        if (result === undefined) return;
        compare?.(result);
        write(result);
        exchange.done(replyFor(message, result));
      },
      differences: (mocked, real) => differencesOf(message, mocked, real),
    });
  }

  /** Takes what no mock can answer. @returns a promise that resolves when it is answered */
  takeWords({ exchange, line, request, write, refuse }: RelayedWords): Promise<void> {
    return relayMessage<string, MemcachedExchange>(this.desk, {
      exchange,
      key: undefined,
      isUpstreams: true,
      kept: () => exchange.message,
      forward: () => ask(line, request),
      pass: write,
      refuse,
      keep: () => ({ reply: {}, recordings: [] }),
      answer: () => undefined,
      differences: () => [],
    });
  }
}

/** Asks an upstream. Both texts have one character per byte. */
async function ask(line: PairedLine, request: string): Promise<string> {
  const { bytes, isWhole } = await line.ask(request, false);
  if (!isWhole) throw new Error('its answer is longer than 2 MiB, the most that is read of one');
  return bytes.toString('latin1');
}

function keep(message: MemcachedMessage, answer: Result, match: CommandMatch | undefined): KeptAnswer {
  const result = redactedOf(message, answer);
  const reply = replyFor(message, result);
  if (match === undefined) return { reply, recordings: [] };
  try {
    const { key, name, match: fields, patterns } = match;
    return {
      reply,
      patterns,
      recordings: [{ key, name, match: fields, answer: responseOf(message, result, answer) }],
    };
  } catch (thrown) {
    return { reply, recordings: messageOf(thrown) };
  }
}

/** The field `response` of a mock that gives an answer. @throws Error for one that no mock gives */
function responseOf(
  message: MemcachedMessage,
  result: Result,
  { wire = '' }: Result,
): Readonly<Record<string, unknown>> {
  const { method, metaFlags = [] } = message;
  const operation = COMMANDS.get(method)?.operation;
  const { code, item, lines, word } = result;
  if (word !== undefined) throw new Error('it is no list of statistics');
  if (operation === 'meta debug') throw new Error('it describes an item of the upstream');
  if (metaFlags.length > 0 && / [WXZ](?: |\r)/.test(wire.slice(0, wire.indexOf('\n'))))
    throw new Error('it has marks of a lease, which mocks cannot give');
  if (operation === 'meta get' && code === 'done' && item === undefined && metaFlags.includes('s'))
    throw new Error('it has the size of a value without the value');
  if (code === 'done' && lines !== undefined)
    return { value: literal(lines.map(([name, value]) => `${name} ${fromWire(value)}\n`).join('')) };
  if (code !== 'done' || item === undefined) {
    const status = wordOf(message, result);
    if (/[^ -~]/.test(status)) throw new Error('it is an error with other characters than ASCII');
    return { status };
  }
  const flags = item.flags === 0 ? {} : { flags: item.flags };
  if (operation === 'count') return { value: item.value.trim() };
  return isText(item.value)
    ? { value: literal(fromWire(item.value)), ...flags }
    : { value_base64: Buffer.from(item.value, 'latin1').toString('base64'), ...flags };
}
