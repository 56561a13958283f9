import {
  compileContent,
  type CompileTools,
  constantContent,
  contentTypeIn,
  type ContentTemplate,
  pointTo,
  renderContent,
  type Template,
} from '@backlot/core/plugin';
import { isHeaderName, isHeaderValue } from '@backlot/kit/http';
import type { Answer } from './wire/write-response.js';
import { headerNameOf } from './wire/header-names.js';
import { withoutControls } from './wire/read-message.js';
import { reasonOf } from './wire/reasons.js';

/** The fields of a response in a mock. */
export interface ResponseFields {
  readonly status?: number;
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly json?: unknown;
  readonly body_base64?: string;
}

/** A response of a mock. */
export interface ResponseTemplate {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly HeaderTemplate[];
  readonly body: ContentTemplate | undefined;
  /** The whole answer, when there is nothing to render. */
  readonly constant: Answer | undefined;
}

interface HeaderTemplate {
  /** As it is sent. */
  readonly name: string;
  readonly value: Template;
}

/** They say what a response answers and where it ends: only the server knows. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'via',
  'from',
  'to',
  'call-id',
  'cseq',
  'content-length',
  'record-route',
]);

/** Compiles a response. */
export function compileResponse(fields: ResponseFields, at: string, tools: CompileTools): ResponseTemplate {
  const { status = 200, reason = '', headers: given = {} } = fields;
  checkReason(reason, `${at}/reason`, tools);
  const headers: HeaderTemplate[] = [];
  for (const [name, values] of Object.entries(given)) {
    const pointer = pointTo(`${at}/headers`, name);
    checkHeaderName(name, pointer, tools);
    for (const [index, value] of (typeof values === 'string' ? [values] : values).entries()) {
      const place = typeof values === 'string' ? pointer : `${pointer}/${index}`;
      const template = tools.template(value, place, { target: 'text' });
      if (template.constant && !isHeaderValue(value)) {
        tools.problem(
          place,
          `${JSON.stringify(value)} holds a line break or another control character; a header has one line`,
        );
      }
      headers.push({ name, value: template });
    }
  }
  // The name has a short form (RFC 3261, section 7.3.3).
  const contentType = contentTypeIn(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [headerNameOf(name), value])),
  );
  const content = compileContent(
    { text: fields.body, json: fields.json, base64: fields.body_base64 },
    { text: 'body' },
    tools,
    at,
    { contentType },
  );
  const body = constantContent(content)?.length === 0 ? undefined : content;
  const response = { status, reason: reason === '' ? reasonOf(status) : reason, headers, body };
  const isConstant = body?.constant !== false && headers.every(({ value }) => value.constant);
  const constant = isConstant
    ? renderResponse({ ...response, constant: undefined }, plain, undefined)
    : undefined;
  return { ...response, constant };
}

/** Renders a response; line breaks in what templates give cannot make headers of their own. */
export function renderResponse(
  response: ResponseTemplate,
  render: (template: Template) => string,
  message: { readonly body?: Buffer } | undefined,
): Answer {
  const { status, reason, constant } = response;
  if (constant !== undefined) return constant;
  let headers = '';
  let hasType = false;
  let hasContact = false;
  for (const { name, value } of response.headers) {
    headers += `${name}: ${withoutControls(render(value))}\r\n`;
    const known = headerNameOf(name);
    hasType ||= known === 'content-type';
    hasContact ||= known === 'contact';
  }
  const { body: template } = response;
  if (template === undefined) {
    return { status, reason, headers, body: undefined, hasContact, reply: { status } };
  }
  const body = renderContent(template, render, message?.body);
  if (!hasType && body.length > 0) headers += `Content-Type: ${typeOf(template, body)}\r\n`;
  return { status, reason, headers, body, hasContact, reply: { status, body } };
}

/** Notes a reason phrase that cannot be sent. */
export function checkReason(reason: string, at: string, tools: Pick<CompileTools, 'problem'>): void {
  if (isHeaderValue(reason)) return;
  tools.problem(
    at,
    `${JSON.stringify(reason)} holds a line break or another control character; a reason has one line`,
  );
}

function checkHeaderName(name: string, at: string, tools: CompileTools): void {
  if (!isHeaderName(name)) {
    tools.problem(at, `${JSON.stringify(name)} is not the name of a header; use letters, digits and hyphens`);
  } else if (OWN_HEADERS.has(headerNameOf(name))) {
    tools.problem(at, `${name} is set by the server, from the request and the body; leave it out`);
  }
}

function typeOf({ bytes, isJson }: ContentTemplate, body: Buffer): string {
  if (isJson) return 'application/json';
  if (bytes !== undefined) return 'application/octet-stream';
  return body.toString('latin1', 0, 3) === 'v=0' ? 'application/sdp' : 'text/plain';
}

function plain({ source }: Template): string {
  return source;
}
