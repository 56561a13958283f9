import {
  compileContent,
  renderContent,
  type CompileTools,
  type ContentTemplate,
  type Delay,
  type Pointer,
  type Template,
} from '@backlot/core/plugin';
import {
  cleanHeaderValue,
  encodeBody,
  hasNoContent,
  HttpAnswer,
  makeHeaders,
  shareAnswer,
  type AnswerHeaders,
} from '@backlot/kit/http';
import type { ResponseDefinition } from '../schemas/response.js';
import { compileHeaders, type CompiledHeaders } from './compiled-headers.js';
import { compileSending, type Sending } from './sending.js';
import { compileShaping, type Shaping } from './shaping.js';
import { typeOfBytes } from './type-of-bytes.js';

/** Renders a template of the mock that matched. */
export type Render = (template: Template) => string;

/** One answer of a mock, compiled. */
export interface CompiledReply {
  /** What is waited for before it. */
  readonly delay: Delay;
  /** The answer itself when nothing has to be rendered. */
  readonly fixed: HttpAnswer | undefined;
  /** How the request changes the form of the answer; absent: not at all. */
  readonly shaping: Shaping | undefined;
  /** How it goes out; absent: whole and at once. */
  readonly sending: Sending | undefined;
  /**
   * Makes the answer.
   *
   * @param received - the body of the request, which an answer may give back as it came
   */
  make(render: Render, received: Buffer | undefined): HttpAnswer;
  /** Makes the status and headers of a streaming answer, which has no length; its body goes out before the events. */
  head(render: Render, received: Buffer | undefined): HttpAnswer;
}

/** What the mock around an answer says. */
export interface ReplySurroundings {
  /** Whether the mock answers HEAD and nothing else, so that it may announce a length it does not send. */
  readonly isForHead: boolean;
  /** The content type when none is given and the answer is a stream. */
  readonly streamType: string | undefined;
}

const OWN_HEADERS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);
const NO_BODY_HEADERS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'trailer']);

/** Compiles one answer. */
export function compileReply(
  definition: Omit<ResponseDefinition, 'stream'>,
  surroundings: ReplySurroundings,
  tools: CompileTools,
  at: Pointer,
): CompiledReply {
  const given = definition.status ?? 200;
  if (given === 101) {
    tools.problem(
      `${at}/status`,
      'status 101 switches to another protocol, which an HTTP mock cannot do; use 200 to 599',
    );
  }
  // RFC 9110, section 15.2: an informational status only comes before an answer, so an empty 200 follows it.
  const interim = given < 200 ? given : undefined;
  const status = interim === undefined ? given : 200;
  const headers = compileHeaders(definition.headers, tools, `${at}/headers`);
  const isEmpty = hasNoContent(given);
  const body = isEmpty ? undefined : compileBody(definition, headers, tools, at);
  const framing = checkFraming(headers, body, given, surroundings, tools, `${at}/headers`);
  const delay = tools.delay(definition.delay, `${at}/delay`);
  const isStream = surroundings.streamType !== undefined;
  const shaping = compileShaping(definition, isStream, tools, at);
  const sending = compileSending(definition, isStream, tools, at);
  if (sending?.broken === 'truncated' && body === undefined)
    tools.problem(`${at}/broken`, 'there is no body that could be truncated; give one, or use "empty"');

  const make = (render: Render, received: Buffer | undefined): HttpAnswer => {
    const made = makeHeaders();
    headers.write(made, render, isEmpty ? NO_BODY_HEADERS : OWN_HEADERS);
    if (body === undefined) {
      if (framing.announced !== undefined) made['Content-Length'] = framing.announced;
      else if (interim !== undefined || status === 205 || !isEmpty) made['Content-Length'] = 0;
      return new HttpAnswer(status, made, undefined, interim);
    }
    const content = encode(body.template, render, received);
    if (body.contentType !== undefined) made['Content-Type'] = body.contentType;
    if (framing.isChunked) made['Transfer-Encoding'] = 'chunked';
    else made['Content-Length'] = content.length;
    return new HttpAnswer(status, made, content, interim);
  };
  if (!isStream && headers.constant && (body?.template.constant ?? true)) {
    return new FixedReply(
      delay,
      shareAnswer(make((template) => template.source, undefined)),
      shaping,
      sending,
    );
  }
  return {
    delay,
    fixed: undefined,
    shaping,
    sending,
    make,
    head(render, received) {
      const made: AnswerHeaders = makeHeaders();
      headers.write(made, render, NO_BODY_HEADERS);
      if (headers.given('content-type') === undefined && surroundings.streamType !== undefined) {
        made['Content-Type'] = surroundings.streamType;
      }
      return new HttpAnswer(status, made, body && encode(body.template, render, received));
    },
  };
}

/** A reply that is always the same; what it was compiled from is let go. */
export class FixedReply implements CompiledReply {
  constructor(
    readonly delay: Delay,
    readonly fixed: HttpAnswer,
    readonly shaping: Shaping | undefined = undefined,
    readonly sending: Sending | undefined = undefined,
  ) {}

  make(): HttpAnswer {
    return this.fixed;
  }

  head(): HttpAnswer {
    return this.fixed;
  }
}

interface CompiledBody {
  readonly template: ContentTemplate;
  /** The content type to add when none is given. */
  readonly contentType: string | undefined;
}

function compileBody(
  { body, json, body_base64: base64 }: Omit<ResponseDefinition, 'stream'>,
  headers: CompiledHeaders,
  tools: CompileTools,
  at: Pointer,
): CompiledBody | undefined {
  const given = headers.given('content-type')?.[0];
  const template = compileContent({ text: body, json, base64 }, { text: 'body' }, tools, at, {
    contentType: given,
  });
  if (template.constant && (template.bytes ?? template.source).length === 0) return undefined;
  return { template, contentType: given === undefined ? typeOf(template) : undefined };
}

function typeOf({ bytes, target }: ContentTemplate): string {
  if (bytes !== undefined) return typeOfBytes(bytes);
  return target === 'json' ? 'application/json' : 'text/plain; charset=utf-8';
}

function encode(template: ContentTemplate, render: Render, received: Buffer | undefined): string | Buffer {
  const isText = template.bytes === undefined && (received === undefined || !template.isWholeBody);
  return isText ? encodeBody(render(template)) : renderContent(template, render, received);
}

interface Framing {
  readonly isChunked: boolean;
  /** A length that is announced without a body. */
  readonly announced: string | undefined;
}

/** Length and framing are ours; what a mock says of them may only repeat the truth. */
function checkFraming(
  headers: CompiledHeaders,
  body: CompiledBody | undefined,
  status: number,
  { isForHead, streamType }: ReplySurroundings,
  tools: CompileTools,
  at: Pointer,
): Framing {
  const encoding = headers.given('transfer-encoding')?.join(', ');
  const isChunked = encoding?.trim().toLowerCase() === 'chunked';
  if (encoding !== undefined && !isChunked) {
    tools.problem(
      `${at}/Transfer-Encoding`,
      `transfer-encoding ${JSON.stringify(encoding)} cannot be sent; leave it out, or use "chunked"`,
    );
  }
  if (headers.given('trailer') !== undefined) {
    tools.problem(
      `${at}/Trailer`,
      'trailer announces fields after the body, which a mock does not send; leave it out',
    );
  }
  const length = headers.given('content-length')?.join(', ');
  if (length === undefined) return { isChunked, announced: undefined };
  if (isChunked) {
    tools.problem(
      `${at}/Content-Length`,
      'content-length cannot stand beside transfer-encoding; leave both out',
    );
    return { isChunked, announced: undefined };
  }
  if (/^\d{1,15}$/.test(length) && body === undefined && (isForHead || status === 304)) {
    return { isChunked, announced: cleanHeaderValue(length) };
  }
  const actual =
    streamType !== undefined || (body !== undefined && !body.template.constant)
      ? undefined
      : (body?.template.bytes?.length ?? Buffer.byteLength(body?.template.source ?? ''));
  if (hasNoContent(status) ? length !== '0' : length !== String(actual)) {
    const truth = actual === undefined ? 'is not known before it is made' : `has ${actual} bytes`;
    tools.problem(
      `${at}/Content-Length`,
      `content-length is ${JSON.stringify(length)}, but the body ${truth}; leave it out, it is counted for you`,
    );
  }
  return { isChunked, announced: undefined };
}
