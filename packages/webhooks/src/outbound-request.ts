import { messageOf, withLocals, type CompiledWebhook } from '@backlot/core/plugin';
import type { WebhookCause, WebhookSend } from '@backlot/core';
import { isFormType, makeSigner, withBodyHash, type Signer } from './sign.js';

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
  /** Signs each attempt; undefined when it is not signed. */
  readonly signer: Signer | undefined;
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

/**
 * A request that is sent as it was given, but for the signature.
 *
 * @throws Error for a secret that its scheme cannot have
 */
export function verbatimRequest({
  url,
  method = DEFAULT_METHOD,
  headers,
  body,
  sign,
}: WebhookSend): OutboundRequest {
  const given = Object.entries(headers ?? {});
  if (sign === undefined) return makeRequest(url, method, given, body);
  const isForm = given.some(([name, value]) => name.toLowerCase() === CONTENT_TYPE && isFormType(value));
  const signed = sign.scheme === 'twilio' && !isForm ? withBodyHash(url, body) : url;
  return { ...makeRequest(signed, method, given, body), signer: makeSigner(sign.scheme, sign.secret) };
}

/** Renders a webhook's templates. Never throws: what cannot be rendered is the request's `problem`. */
export function renderRequest(
  webhook: CompiledWebhook,
  { scope, trace = {} }: Pick<WebhookCause, 'scope' | 'trace'>,
): OutboundRequest {
  try {
    const { sign, method } = webhook;
    const secret = sign?.secret.render(scope);
    const rendered = webhook.url.render(scope);
    const body = webhook.body?.render(withLocals(scope, { webhook: { url: rendered } }));
    const isForm = isFormTemplate(webhook);
    const url = sign?.scheme === 'twilio' && !isForm ? withBodyHash(rendered, body) : rendered;
    const sent = withLocals(scope, { webhook: { url, body: body ?? '' } });
    const own = webhook.headers.map(([name, template]) => [name, template.render(sent)] as const);
    const names = new Set(own.map(([name]) => name.toLowerCase()));
    const headers = [...Object.entries(trace).filter(([name]) => !names.has(name)), ...own];
    const request = makeRequest(url, method, headers, body);
    if (sign === undefined || secret === undefined) return request;
    return { ...request, signer: makeSigner(sign.scheme, secret) };
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
    signer: undefined,
    target: undefined,
    problem,
  };
}

/**
 * The request of one attempt, with its signature.
 *
 * @param now - the time that the signature has, in milliseconds since 1970
 */
export function signRequest(request: OutboundRequest, now: number): OutboundRequest {
  if (request.signer === undefined || request.target === undefined) return request;
  const signature = request.signer(request, now);
  // What the webhook's own headers say under these names gives way.
  const names = new Set(Object.keys(signature).map((name) => name.toLowerCase()));
  const kept = Object.entries(request.headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...request, headers: Object.fromEntries([...kept, ...Object.entries(signature)]) };
}

function isFormTemplate({ headers }: CompiledWebhook): boolean {
  return headers.some(([name, { source }]) => name.toLowerCase() === CONTENT_TYPE && isFormType(source));
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
    signer: undefined,
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
