import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isForbiddenAddress, messageOf } from '@backlot/core/plugin';
import { afterRealTime } from './clock-real.js';
import type { HostList } from './host-list.js';
import type { OutboundRequest } from './outbound-request.js';
import { RefusedTarget } from './refused-target.js';

/** How many bytes of an answer are kept; the rest is not read. */
export const MAX_RESPONSE_BYTES = 64 * 1024;

/** Headers that say how the body is framed: these are ours, or a body could pass for a further request. */
const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'trailer',
  'upgrade',
]);

/** How an attempt ended. */
export interface AttemptResult {
  readonly status?: number;
  readonly body?: string;
  readonly error?: string;
  /** Whether another attempt may go better. */
  readonly canRetry: boolean;
}

/** One request under way. */
export interface Attempt {
  readonly result: Promise<AttemptResult>;
  /** Resolves when its socket is gone. */
  readonly closed: Promise<void>;
  /** @returns our end of its connection as `address:port`, when there is one */
  abort(): string | undefined;
}

/** What attempts have in common. */
export interface AttemptLimits {
  readonly isAllowed: HostList;
  readonly timeout: number;
  /** Fails for addresses that must not be called. */
  readonly lookup: LookupFunction;
}

/** Sends one request. Redirects are answers like any other. */
export function startAttempt(request: OutboundRequest, limits: AttemptLimits): Attempt {
  const { target } = request;
  if (target === undefined) return settled({ error: request.problem ?? 'there is no url', canRetry: false });
  const refusal = refusalOf(target, limits.isAllowed);
  if (refusal !== undefined) return settled({ error: refusal.message, canRetry: false });
  let outgoing: http.ClientRequest;
  try {
    outgoing = prepare(target, request, limits.lookup);
  } catch (thrown) {
    return settled({ error: messageOf(thrown), canRetry: false });
  }
  const closed = new Promise<void>((resolve) => void outgoing.once('close', resolve));
  const result = receive(outgoing, limits.timeout);
  outgoing.end(request.body === undefined ? undefined : Buffer.from(request.body, 'utf8'));
  const abort = (): string | undefined => {
    const { localAddress, localPort } = outgoing.socket ?? {};
    outgoing.destroy(new Error('cancelled'));
    return localAddress === undefined ? undefined : formatEnd(localAddress, localPort ?? 0);
  };
  return { result, closed, abort };
}

function settled(result: AttemptResult): Attempt {
  return { result: Promise.resolve(result), closed: Promise.resolve(), abort: () => undefined };
}

/** As a message's `remote` has it. */
function formatEnd(address: string, port: number): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  return isIP(plain) === 6 ? `[${plain}]:${port}` : `${plain}:${port}`;
}

function refusalOf(target: URL, isAllowed: HostList): RefusedTarget | undefined {
  if (!isAllowed(target)) {
    return new RefusedTarget(`refused: host "${target.host}" is not listed in webhooks.allow_hosts`);
  }
  // An address in place of a name is never looked up.
  const address = target.hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && isForbiddenAddress(address) ? RefusedTarget.forAddress(address) : undefined;
}

function prepare(target: URL, request: OutboundRequest, lookup: LookupFunction): http.ClientRequest {
  const send = target.protocol === 'https:' ? https.request : http.request;
  // No agent, so that no connection outlives its attempt.
  const outgoing = send(target, { method: request.method, lookup, agent: false });
  try {
    for (const [name, value] of Object.entries(request.headers)) {
      if (FRAMING_HEADERS.has(name.toLowerCase())) continue;
      // Node writes header values as latin1; this makes it the bytes of UTF-8.
      outgoing.setHeader(name, Buffer.from(value, 'utf8').toString('latin1'));
    }
  } catch (thrown) {
    outgoing.on('error', ignore).destroy();
    throw thrown;
  }
  return outgoing;
}

function receive(outgoing: http.ClientRequest, timeout: number): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status: number | undefined;
    let hasEnded = false;
    const end = (error?: unknown): void => {
      if (hasEnded) return;
      hasEnded = true;
      cancelTimeout();
      const body = textOf(chunks, size > MAX_RESPONSE_BYTES || error !== undefined);
      resolve({
        ...(status === undefined ? {} : { status }),
        ...(body === '' ? {} : { body }),
        ...(error === undefined ? {} : { error: describe(error) }),
        canRetry: error === undefined ? (status ?? 0) >= 500 : !(error instanceof RefusedTarget),
      });
      // Later errors of the socket concern nobody.
      outgoing.on('error', ignore).destroy();
    };
    const cancelTimeout = afterRealTime(timeout, () =>
      end(new Error(`no answer within ${timeout / 1000} s`)),
    );
    outgoing.on('error', end);
    outgoing.on('response', (response) => {
      status = response.statusCode;
      response.on('error', end);
      response.on('end', () => end());
      response.on('data', (chunk: Buffer) => {
        if (hasEnded) return;
        chunks.push(
          size + chunk.length > MAX_RESPONSE_BYTES ? chunk.subarray(0, MAX_RESPONSE_BYTES - size) : chunk,
        );
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES) end();
      });
    });
    const switched = (response: IncomingMessage): void => {
      status = response.statusCode;
      end();
    };
    outgoing.on('upgrade', switched);
    outgoing.on('connect', switched);
    outgoing.on('close', () => end(new Error('the connection was closed without an answer')));
  });
}

/** The text of what was received; a character that a cut went through is left out. */
function textOf(chunks: readonly Buffer[], isCut: boolean): string {
  if (chunks.length === 0) return '';
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks), { stream: isCut });
}

function describe(error: unknown): string {
  // What node throws when every address of a name failed has no message of its own.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(messageOf))].join('; ');
  return messageOf(error);
}

function ignore(): void {
  // Nothing waits for it any more.
}
