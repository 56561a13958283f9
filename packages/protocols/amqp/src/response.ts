import type { CompileTools, Template, ValueOf, ValueTemplate } from '@backlot/core/plugin';
import type { MockSchema } from './schemas.js';
import { MAX_SHORT_STRING } from './wire/short-string.js';

type Response = NonNullable<ValueOf<typeof MockSchema>['response']>;

const TAG = '{{';
const MILLISECONDS = /^\d{1,15}$/;

/** The answer of a mock. */
export interface CompiledResponse {
  readonly exchange: Template | undefined;
  readonly routingKey: Template | undefined;
  readonly body: Template;
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
  const body = tools.template(response.body ?? '', '/response/body');
  return {
    exchange: template(response.exchange, 'exchange'),
    routingKey: template(response.routing_key, 'routing_key'),
    body,
    bytes: body.constant ? Buffer.from(body.source) : undefined,
    properties:
      response.properties === undefined
        ? undefined
        : tools.value(response.properties, '/response/properties'),
    contentType: body.target === 'json' ? 'application/json' : 'text/plain',
  };
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
