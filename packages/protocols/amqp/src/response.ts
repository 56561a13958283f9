import {
  compileContent,
  constantContent,
  type CompileTools,
  type ContentTemplate,
  type Template,
  type ValueOf,
  type ValueTemplate,
} from '@backlot/core/plugin';
import type { MockSchema } from './schemas.js';
import { MAX_SHORT_STRING } from './wire/short-string.js';

type Response = NonNullable<ValueOf<typeof MockSchema>['response']>;

const TAG = '{{';
const MILLISECONDS = /^\d{1,15}$/;

/** The answer of a mock. */
export interface CompiledResponse {
  readonly exchange: Template | undefined;
  readonly routingKey: Template | undefined;
  readonly body: ContentTemplate;
  /** The body's bytes, when it has no tags. */
  readonly bytes: Buffer | undefined;
  readonly properties: ValueTemplate | undefined;
  readonly contentType: string;
}

/** Compiles the answer of a mock. What a short string of the wire cannot hold is a problem. */
export function compileResponse(response: Response, tools: CompileTools): CompiledResponse {
  checkTexts(response, tools);
  const template = (source: string | undefined, at: string): Template | undefined =>
    source === undefined ? undefined : tools.template(source, `/response/${at}`, { target: 'text' });
  const { body: text, json, body_base64: base64 } = response;
  const body = compileContent({ text, json, base64 }, { text: 'body' }, tools, '/response', {
    contentType: response.properties?.content_type,
  });
  return {
    exchange: template(response.exchange, 'exchange'),
    routingKey: template(response.routing_key, 'routing_key'),
    body,
    bytes: constantContent(body),
    properties:
      response.properties === undefined
        ? undefined
        : tools.value(response.properties, '/response/properties', { bytes: true }),
    contentType: typeOf(body),
  };
}

function typeOf({ bytes, target }: ContentTemplate): string {
  if (bytes !== undefined) return 'application/octet-stream';
  return target === 'json' ? 'application/json' : 'text/plain';
}

function checkTexts({ exchange, routing_key: key, properties = {} }: Response, tools: CompileTools): void {
  const { headers = {}, expiration } = properties;
  const check = (at: string, text: unknown): void => {
    if (typeof text !== 'string' || text.includes(TAG)) return;
    const length = Buffer.byteLength(text);
    if (length <= MAX_SHORT_STRING) return;
    tools.problem(at, `has ${length} bytes; AMQP carries at most ${MAX_SHORT_STRING}`);
  };
  check('/response/exchange', exchange);
  check('/response/routing_key', key);
  for (const [name, value] of Object.entries(properties)) check(`/response/properties/${name}`, value);
  checkHeaderNames(headers, check);
  if (expiration !== undefined && !expiration.includes(TAG) && !MILLISECONDS.test(expiration)) {
    tools.problem(
      '/response/properties/expiration',
      `"${expiration}" is not a whole number of milliseconds, such as "60000"`,
    );
  }
}

function checkHeaderNames(headers: object, check: (at: string, text: unknown) => void): void {
  for (const [name, value] of Object.entries(headers)) {
    check('/response/properties/headers', name);
    if (typeof value === 'object' && value !== null) checkHeaderNames(value as object, check);
  }
}
