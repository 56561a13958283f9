import type { CompileTools } from '@backlot/core/plugin';
import { jsonAnswer, type HttpAnswer } from '@backlot/kit/http';
import type { HttpMock } from '../schemas.js';
import type { ResponseDefinition } from '../schemas/response.js';
import { compileReply, FixedReply, type CompiledReply, type ReplySurroundings } from './compiled-reply.js';
import type { CompiledStream } from './compiled-stream.js';

/** The answers of a mock. */
export interface Replies {
  /** The only answer there is, when it needs no waiting and no rendering. */
  readonly only: HttpAnswer | undefined;
  /** Whether they depend on how many requests were before. */
  readonly isOrdered: boolean;
  /** @param call - which match of the mock it is, from 1 */
  pick(call: number): CompiledReply;
}

const AFTER_THE_LAST = new FixedReply(0, jsonAnswer(404, { error: 'sequence exhausted' }));

/** Compiles the response of a mock, or its sequence over its response. */
export function compileReplies(
  mock: HttpMock,
  stream: CompiledStream | undefined,
  tools: CompileTools,
): Replies {
  const surroundings: ReplySurroundings = {
    isForHead: mock.request.method?.toUpperCase() === 'HEAD',
    streamType: stream?.defaultType,
  };
  const { response = {}, sequence = [] } = mock;
  if (sequence.length === 0) return new OneReply(compileReply(response, surroundings, tools, '/response'));
  const replies = sequence.map((entry, index) =>
    compileReply(overlay(response, entry), surroundings, tools, `/sequence/${index}`),
  );
  return new ReplySequence(replies, mock.sequence_exhausted ?? 'hold_last');
}

// Classes, since a closure would keep alive all that compiling needed, once per mock.
class OneReply implements Replies {
  readonly only: HttpAnswer | undefined;
  readonly isOrdered = false;
  readonly #reply: CompiledReply;

  constructor(reply: CompiledReply) {
    this.#reply = reply;
    const isPlain = reply.delay === 0 && reply.shaping === undefined && reply.sending === undefined;
    this.only = isPlain ? reply.fixed : undefined;
  }

  pick(): CompiledReply {
    return this.#reply;
  }
}

class ReplySequence implements Replies {
  readonly only = undefined;
  readonly isOrdered = true;
  readonly #replies: readonly CompiledReply[];
  readonly #exhausted: NonNullable<HttpMock['sequence_exhausted']>;

  constructor(replies: readonly CompiledReply[], exhausted: NonNullable<HttpMock['sequence_exhausted']>) {
    this.#replies = replies;
    this.#exhausted = exhausted;
  }

  pick(call: number): CompiledReply {
    const replies = this.#replies;
    const reply = replies[this.#exhausted === 'loop' ? (call - 1) % replies.length : call - 1];
    return reply ?? (this.#exhausted === 'not_found' ? AFTER_THE_LAST : (replies.at(-1) ?? AFTER_THE_LAST));
  }
}

type Entry = Omit<ResponseDefinition, 'stream'>;

/** What an entry leaves out comes from the response. */
function overlay(response: ResponseDefinition, entry: Entry): Entry {
  const {
    stream: _stream,
    body,
    json,
    body_base64: base64,
    chunks,
    bytes_per_second: rate,
    ...others
  } = response;
  const hasPace = entry.chunks !== undefined || entry.bytes_per_second !== undefined;
  const pace = {
    ...(chunks === undefined ? {} : { chunks }),
    ...(rate === undefined ? {} : { bytes_per_second: rate }),
  };
  const hasContent = entry.body !== undefined || entry.json !== undefined || entry.body_base64 !== undefined;
  const content = {
    ...(body === undefined ? {} : { body }),
    ...(json === undefined ? {} : { json }),
    ...(base64 === undefined ? {} : { body_base64: base64 }),
  };
  const base = { ...others, ...(hasContent ? {} : content), ...(hasPace ? {} : pace) };
  const names = new Set(Object.keys(entry.headers ?? {}).map((name) => name.toLowerCase()));
  const kept = Object.entries(base.headers ?? {}).filter(([name]) => !names.has(name.toLowerCase()));
  return {
    ...base,
    ...entry,
    ...(base.headers === undefined && entry.headers === undefined
      ? {}
      : { headers: Object.fromEntries([...kept, ...Object.entries(entry.headers ?? {})]) }),
  };
}
