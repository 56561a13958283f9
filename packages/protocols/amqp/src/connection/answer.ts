import { renderContent } from '@backlot/core/plugin';
import { BrokerMessage } from '../broker/broker-message.js';
import type { Broker } from '../broker/broker.js';
import type { CompiledResponse } from '../response.js';
import type { AmqpMatch } from '../shape.js';
import { tableFromJson } from '../wire/field-json.js';
import type { Properties } from '../wire/properties.js';
import { REPLY } from '../wire/reply-codes.js';
import { MAX_SHORT_STRING } from '../wire/short-string.js';
import { checkExpiration } from './publish-checks.js';

/** The properties that are numbers on the wire. */
const NUMERIC: ReadonlySet<string> = new Set(['delivery_mode', 'priority', 'timestamp']);

/** A mock's answer, and what became of it. */
interface Answer {
  readonly message: BrokerMessage;
  /** Absent when it reached something. */
  readonly problem: number | undefined;
}

/** A request, as far as its answer needs it. */
interface Request {
  readonly routingKey: string;
  readonly properties: Properties;
  readonly body: Uint8Array;
}

/**
 * Publishes the answer of a mock. It goes to queues like any message and never to mocks.
 */
export function publishAnswer(
  broker: Broker,
  { exchange: name, routingKey, properties, body }: RenderedAnswer,
): Answer {
  const message = new BrokerMessage(name, routingKey, properties, body);
  const exchange = broker.registry.exchanges.get(name);
  if (exchange === undefined) return { message, problem: REPLY.notFound };
  if (broker.memory.wouldOverflow(message.size)) return { message, problem: REPLY.resourceError };
  return { message, problem: broker.deliver(exchange, message) ? undefined : REPLY.noRoute };
}

/** The answer of a mock, before it is published. */
export interface RenderedAnswer {
  readonly exchange: string;
  readonly routingKey: string;
  readonly properties: Properties;
  readonly body: Buffer;
}

/** Makes the answer of a mock. @throws Error when a rendered property is too long for the wire */
export function renderAnswer(match: AmqpMatch, response: CompiledResponse, request: Request): RenderedAnswer {
  const { exchange, routingKey, isReply } = findTarget(match, response, request);
  const body =
    response.bytes ?? renderContent(response.body, (template) => match.render(template), request.body);
  const properties = makeProperties(match, response, isReply ? request : undefined);
  return { exchange, routingKey, properties, body: Buffer.from(body) };
}

function findTarget(
  match: AmqpMatch,
  response: CompiledResponse,
  { routingKey, properties }: Request,
): { readonly exchange: string; readonly routingKey: string; readonly isReply: boolean } {
  const exchange = response.exchange === undefined ? '' : match.render(response.exchange);
  if (response.routingKey !== undefined) {
    const key = checkLength('routing_key', match.render(response.routingKey));
    return { exchange, routingKey: key, isReply: false };
  }
  if (response.exchange === undefined && properties.reply_to !== undefined) {
    return { exchange, routingKey: properties.reply_to, isReply: true };
  }
  return { exchange, routingKey: match.mock.compiled.queue ?? routingKey, isReply: false };
}

function makeProperties(
  match: AmqpMatch,
  response: CompiledResponse,
  request: Request | undefined,
): Properties {
  const correlation = request?.properties.correlation_id;
  const base: Properties = {
    content_type: response.contentType,
    ...(correlation === undefined ? {} : { correlation_id: correlation }),
  };
  if (response.properties === undefined) return base;
  const { headers, ...given } = match.renderValue(response.properties) as Record<string, unknown>;
  const texts = Object.entries(given).map(([name, value]) => [
    name,
    NUMERIC.has(name) ? value : checkText(name, asText(value)),
  ]);
  return {
    ...base,
    ...(Object.fromEntries(texts) as Properties),
    ...(headers === undefined ? {} : { headers: tableFromJson(headers as object) }),
  };
}

function checkText(name: string, text: string): string {
  if (name === 'expiration') checkExpiration(text);
  return checkLength(name, text);
}

/** A property that is one tag takes the value's own type; on the wire it is text. */
function asText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function checkLength(name: string, text: string): string {
  const length = Buffer.byteLength(text);
  if (length <= MAX_SHORT_STRING) return text;
  throw new Error(`${name} has ${length} bytes; AMQP carries at most ${MAX_SHORT_STRING}`);
}
