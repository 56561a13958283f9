import { messageOf, type CompiledWebhook, type TemplateScope } from '@backlot/core/plugin';
import type { WebhookSend } from '@backlot/core';

const DEFAULT_METHOD = 'POST';
const CONTENT_TYPE = 'content-type';
/** RFC 9110 section 5.6.2: what methods and header names are made of. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A request as it is sent and as the history shows it. */
export interface OutboundRequest {
  /** As it was given or rendered. */
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Undefined when there is nothing valid to call; `problem` says why. */
  readonly target: URL | undefined;
  readonly problem: string | undefined;
}

/** Parses the url of a target: absolute, http or https, with a host. */
export function parseTarget(url: string): URL | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const target = new URL(url);
  return target.hostname === '' || target.port === '0' ? undefined : target;
}

/** What is wrong with a url, and what would be right. */
export function urlProblem(url: string): string {
  return `"${shorten(url)}" is no url that can be called; it must be absolute, as in http://127.0.0.1:8080/path`;
}

/** A request that is sent as it was given. */
export function verbatimRequest(send: WebhookSend): OutboundRequest {
  return makeRequest(send.url, send.method ?? DEFAULT_METHOD, Object.entries(send.headers ?? {}), send.body);
}

/** Renders a webhook's templates. Never throws: what cannot be rendered is the request's `problem`. */
export function renderRequest(webhook: CompiledWebhook, scope: TemplateScope): OutboundRequest {
  try {
    const headers = webhook.headers.map(([name, template]) => [name, template.render(scope)] as const);
    return makeRequest(webhook.url.render(scope), webhook.method, headers, webhook.body?.render(scope));
  } catch (thrown) {
    return failedRequest(webhook, `could not be rendered: ${messageOf(thrown)}`);
  }
}

/** A webhook that is not sent, as the history shows it. */
export function failedRequest(webhook: CompiledWebhook, problem: string): OutboundRequest {
  return {
    url: webhook.url.source,
    method: webhook.method,
    headers: {},
    body: undefined,
    target: undefined,
    problem,
  };
}

function makeRequest(
  url: string,
  method: string,
  given: readonly (readonly [string, string])[],
  body: string | undefined,
): OutboundRequest {
  const hasType = given.some(([name]) => name.toLowerCase() === CONTENT_TYPE);
  const all =
    body === undefined || hasType ? given : [...given, ['Content-Type', 'application/json'] as const];
  const problem = TOKEN.test(method) ? headerProblem(all) : `"${shorten(method)}" is no request method`;
  const target = parseTarget(url);
  return {
    url,
    method,
    // Defines own properties, whatever a header is called.
    headers: Object.fromEntries(all),
    body,
    target: problem === undefined ? target : undefined,
    problem: problem ?? (target === undefined ? urlProblem(url) : undefined),
  };
}

/** A value with a line break would be a further header, or the end of them (RFC 9110 section 5.5). */
function headerProblem(headers: readonly (readonly [string, string])[]): string | undefined {
  for (const [name, value] of headers) {
    if (!TOKEN.test(name)) return `"${shorten(name)}" is no header name`;
    if (/[\0-\x08\n-\x1f\x7f]/.test(value)) {
      return `the value of header ${name} holds a line break or another control character: ${JSON.stringify(shorten(value))}`;
    }
  }
  return undefined;
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
