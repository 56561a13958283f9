import type { Context, MatchOf, Reply, Template } from '@backlot/core/plugin';
import type { CompiledResponse } from './matcher.js';
import type { Published } from './published.js';
import type { NatsShape } from './shape.js';
import type { Delivery } from './subscription.js';
import { encodeHeaders } from './wire/headers.js';
import { toWire, whyNotPublishable } from './wire/subject.js';

/** A mock's answer: for the wire, and for the journal. */
export interface Answer {
  readonly delivery: Delivery;
  readonly reply: Reply;
}

/**
 * Renders the answer of a mock, or `undefined` when there is nowhere to send it.
 *
 * @param published - the message that is answered
 */
export function renderAnswer(
  context: Context<NatsShape>,
  match: MatchOf<NatsShape>,
  published: Published,
  response: CompiledResponse,
): Answer | undefined {
  const subject =
    response.subject === undefined ? published.reply : renderTarget(context, match, response.subject);
  if (subject === '') return undefined;
  const payload = renderPayload(match, published, response.payload);
  if (response.headers.length === 0) {
    const delivery = { subject, reply: '', headerBytes: undefined, payload };
    return { delivery, reply: response.reply ?? { body: payload } };
  }
  const headers = response.headers.map(([name, value]) => [name, match.render(value)] as const);
  return {
    delivery: { subject, reply: '', headerBytes: encodeHeaders(headers), payload },
    reply: { body: payload, headers: collect(headers) },
  };
}

/** The subject in the form of the wire; empty, with a line in the log, when it cannot be published to. */
function renderTarget({ log }: Context<NatsShape>, match: MatchOf<NatsShape>, template: Template): string {
  const subject = match.render(template);
  const problem = whyNotPublishable(subject);
  if (problem === undefined) return toWire(subject);
  log.warn(`mock "${match.mock.id}" cannot answer to ${JSON.stringify(subject)}: ${problem}`);
  return '';
}

function renderPayload(
  match: MatchOf<NatsShape>,
  published: Published,
  payload: CompiledResponse['payload'],
): Buffer {
  if (payload === 'received') return published.payload;
  return Buffer.isBuffer(payload) ? payload : Buffer.from(match.render(payload), 'utf8');
}

function collect(headers: readonly (readonly [string, string])[]): NonNullable<Reply['headers']> {
  const collected = new Map<string, string[]>();
  for (const [name, value] of headers) collected.set(name, [...(collected.get(name) ?? []), value]);
  return Object.fromEntries(
    Array.from(collected, ([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}
