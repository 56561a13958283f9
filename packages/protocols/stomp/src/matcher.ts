import {
  compileContent,
  compileHeaders,
  type CompiledMock,
  type CompileTools,
  constantContent,
  type ContentTemplate,
  type Delay,
  type MockFault,
  type PatternHints,
  type Pointer,
  type Template,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import type { MockSchema } from './schemas.js';
import type { StompMessage } from './message.js';

/** Bodies up to this length are looked up in the index. */
export const MAX_INDEXED_BODY = 256;

/** What the broker sets by itself, or `content_type` does. */
const RESERVED: ReadonlySet<string> = new Set([
  'destination',
  'content-type',
  'content-length',
  'message-id',
  'subscription',
  'ack',
  'redelivered',
  'receipt',
  'transaction',
]);

/** The answer of a mock. */
export interface CompiledResponse {
  /** Absent: the message's `reply-to`, else its own destination. */
  readonly destination: Template | undefined;
  readonly body: ContentTemplate;
  /** The bytes of a body without tags. */
  readonly bytes: Buffer | undefined;
  readonly contentType: Template | undefined;
  readonly headers: readonly (readonly [name: string, value: Template])[];
}

/** One message of an answer. */
export interface CompiledStep {
  readonly response: CompiledResponse;
  /** What is waited for before it. */
  readonly delay: Delay;
}

/** A compiled STOMP mock. */
export interface CompiledStomp extends CompiledMock<StompMessage> {
  /** For the index: what every destination that matches is, or begins or ends with. */
  readonly destination: PatternHints;
  /** The only body that matches, when it is short. */
  readonly body: string | undefined;
  /** What is sent, one after the other. */
  readonly steps: readonly CompiledStep[];
}

type Mock = ValueOf<typeof MockSchema>;

/** Compiles a mock. */
export function compileStomp(mock: Mock, tools: CompileTools): CompiledStomp {
  const { command = 'SEND', response, messages = [], fault } = mock;
  const destination = tools.pattern(mock.destination, '/destination');
  const body = tools.pattern(mock.body, '/body');
  const headers = compileHeaders(mock.headers, tools, '/headers');
  if (command === 'SUBSCRIBE' && mock.body !== undefined)
    tools.problem('/body', 'a SUBSCRIBE frame has no body; leave body out');
  const test = (message: StompMessage): TestResult => {
    if (message.method !== command) return () => `command: got ${message.method}, want ${command}`;
    if (!destination.test(message.path, message))
      return () => destination.reason('destination', message.path, message);
    const fits = headers === undefined || headers(message.headers, message);
    if (fits !== true) return fits;
    return body.any || body.test(message.text, message) || (() => body.reason('body', message.text, message));
  };
  const isShort = body.exact !== undefined && body.exact.length <= MAX_INDEXED_BODY;
  return {
    destination,
    body: isShort ? body.exact : undefined,
    steps: [
      ...(response === undefined ? [] : [compileStep(response, tools, '/response')]),
      ...messages.map((message, index) => compileStep(message, tools, `/messages/${index}`)),
    ],
    test,
    ...(fault === undefined ? {} : { fault: compileFault(fault) }),
  };
}

function compileFault({ error_rate: errorRate = 1, ...fields }: NonNullable<Mock['fault']>): MockFault {
  return { errorRate, fields };
}

function compileStep(
  message: NonNullable<Mock['messages']>[number],
  tools: CompileTools,
  at: Pointer,
): CompiledStep {
  return { response: compileResponse(message, tools, at), delay: tools.delay(message.delay, `${at}/delay`) };
}

function compileResponse(
  response: NonNullable<Mock['response']>,
  tools: CompileTools,
  path: Pointer,
): CompiledResponse {
  const { destination, body: text, json, body_base64: base64 } = response;
  const { content_type: contentType = '', headers = {} } = response;
  const content = { text, json, base64 };
  const body = compileContent(content, { text: 'body' }, tools, path, {
    contentType,
  });
  return {
    destination: compileHeader(destination === '' ? undefined : destination, `${path}/destination`, tools),
    body,
    bytes: constantContent(body),
    contentType: compileHeader(
      contentType === '' ? typeOf(body) : contentType,
      `${path}/content_type`,
      tools,
    ),
    headers: Object.entries(headers).map(([name, value]) => {
      const at: Pointer = `${path}/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (RESERVED.has(name)) {
        const instead =
          name === 'content-type' || name === 'destination'
            ? `use ${name.replace('-', '_')}`
            : 'leave it out';
        tools.problem(at, `the header "${name}" is set by the server; ${instead}`);
      }
      if (name === '' || name.includes('\0'))
        tools.problem(
          at,
          `the name ${JSON.stringify(name)} is no header name; it needs a character, and no NUL`,
        );
      return [name, compileHeader(value, at, tools) ?? tools.template('', at)] as const;
    }),
  };
}

function typeOf({ bytes, source, target, constant }: ContentTemplate): string | undefined {
  if (bytes !== undefined) return 'application/octet-stream';
  if (constant && source === '') return undefined;
  return target === 'json' ? 'application/json' : 'text/plain';
}

function compileHeader(source: string | undefined, at: Pointer, tools: CompileTools): Template | undefined {
  if (source === undefined) return undefined;
  if (source.includes('\0')) tools.problem(at, 'the value of a header cannot have a NUL in it');
  return tools.template(source, at, { target: 'text' });
}
