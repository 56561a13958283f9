import type { CompileTools } from '@backlot/core/plugin';
import type { HttpMock, ResponseDefinition } from '../schemas.js';
import { jsonAnswer, type Answer } from './answer.js';
import { compileReply, FixedReply, type CompiledReply, type ReplySurroundings } from './compiled-reply.js';
import type { CompiledStream } from './compiled-stream.js';

/** The answers of a mock. */
export interface Replies {
  /** The only answer there is, when it needs no waiting and no rendering. */
  readonly only: Answer | undefined;
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
  const [first, ...others] = sequence.map((entry, index) =>
    compileReply(overlay(response, entry), surroundings, tools, `/sequence/${index}`),
  );
  if (first === undefined) {
    const reply = compileReply(response, surroundings, tools, '/response');
    return { only: reply.delay === 0 ? reply.fixed : undefined, pick: () => reply };
  }
  const replies = [first, ...others];
  const last = replies.at(-1) ?? first;
  const exhausted = mock.sequence_exhausted ?? 'hold_last';
  return {
    only: undefined,
    pick(call) {
      const reply = replies[exhausted === 'loop' ? (call - 1) % replies.length : call - 1];
      return reply ?? (exhausted === 'not_found' ? AFTER_THE_LAST : last);
    },
  };
}

type Entry = Omit<ResponseDefinition, 'stream'>;

/** What an entry leaves out comes from the response. */
function overlay(response: ResponseDefinition, entry: Entry): Entry {
  const { stream: _stream, ...base } = response;
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
