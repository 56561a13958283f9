import { randomUUID } from 'node:crypto';
import type {
  CompiledWebhook,
  WebhookAttempt,
  WebhookCause,
  WebhookHost,
  WebhookSend,
  WebhookSender,
} from '@backlot/core';
import { BacklotError, invalid, messageOf, type TemplateScope, type Waiting } from '@backlot/core/plugin';
import { startAttempt, type Attempt, type AttemptLimits, type AttemptResult } from './attempt.js';
import { afterRealTime, realElapsed } from './clock-real.js';
import { History, type LogId } from './history.js';
import { Lanes } from './lanes.js';
import {
  failedRequest,
  parseTarget,
  renderRequest,
  signRequest,
  urlProblem,
  verbatimRequest,
  type OutboundRequest,
} from './outbound-request.js';

const MAX_IN_FLIGHT = 64;
/** Webhooks that wait for a delay, a retry or their turn; further ones are dropped, with a record that says so. */
const MAX_WAITING = 10_000;
const MANUAL = 'manual';
/** How long a request that a reset has cancelled may still be on its way to a listener of this process, in milliseconds. */
const STRAY_TIME = 1_000;

/** What a sender may do. */
export interface SenderOptions extends AttemptLimits {
  readonly enabled: boolean;
}

/** What the records of a webhook's attempts have in common. */
interface Origin {
  readonly protocol: string;
  readonly mockId: string | undefined;
  readonly logId: LogId | undefined;
}

/** A webhook on its way through delay, turn, attempts and retries. */
interface Job {
  readonly webhook: CompiledWebhook;
  readonly origin: Origin;
  /** Let go of once the request has been rendered: it holds the message. */
  scope: TemplateScope | undefined;
  readonly trace: WebhookCause['trace'];
  request: OutboundRequest | undefined;
  attempts: number;
  waiting: Waiting | undefined;
  underWay: Attempt | undefined;
}

/** Sends webhooks over HTTP. */
export class HttpWebhookSender implements WebhookSender {
  readonly enabled: boolean;
  readonly #host: WebhookHost;
  readonly #options: SenderOptions;
  readonly #history = new History();
  readonly #lanes = new Lanes(MAX_IN_FLIGHT);
  readonly #jobs = new Set<Job>();
  readonly #open = new Set<Attempt>();
  readonly #manual = new Map<() => void, Attempt | undefined>();
  /** Our ends of the connections that a reset has cancelled. */
  readonly #strays = new Set<string>();
  #forgetStrays: () => void = () => undefined;
  #epoch = 0;
  #isStopped = false;

  constructor(host: WebhookHost, options: SenderOptions) {
    this.#host = host;
    this.#options = options;
    this.enabled = options.enabled;
  }

  onAttempt(listener: (attempt: WebhookAttempt) => void): () => void {
    return this.#history.onAdd(listener);
  }

  fire(webhooks: readonly CompiledWebhook[], cause: WebhookCause): void {
    if (!this.enabled || this.#isStopped || this.#isStray(cause.scope)) return;
    // Without the cause itself, whose scope holds the message for as long as somebody holds it.
    const origin = { protocol: cause.protocol, mockId: cause.mockId, logId: cause.logId.bind(undefined) };
    for (const webhook of webhooks) {
      if (this.#jobs.size >= MAX_WAITING) {
        const problem = `dropped: ${MAX_WAITING} webhooks wait to be sent already`;
        this.#record(failedRequest(webhook, problem), origin, 1, this.#host.clock.now(), 0, {
          error: problem,
          canRetry: false,
        });
        continue;
      }
      const job: Job = {
        webhook,
        origin,
        scope: cause.scope,
        trace: cause.trace,
        request: undefined,
        attempts: 0,
        waiting: undefined,
        underWay: undefined,
      };
      this.#jobs.add(job);
      this.#queueAfter(job, webhook.delay);
    }
  }

  async send(request: WebhookSend): Promise<WebhookAttempt> {
    if (!this.enabled || this.#isStopped)
      throw new BacklotError('not_enabled', 'webhooks are not enabled; set webhooks.enabled to true');
    if (typeof request.url !== 'string' || request.url === '')
      throw invalidUrl('a url is missing; it must be absolute, as in http://127.0.0.1:8080/path');
    if (parseTarget(request.url) === undefined) throw invalidUrl(urlProblem(request.url));
    let sent = readSend(request);
    const epoch = this.#epoch;
    const origin = { protocol: MANUAL, mockId: undefined, logId: undefined };
    return new Promise((resolve) => {
      const answer = (startedAt: number, duration: number, result: AttemptResult): void => {
        this.#manual.delete(cancel);
        const attempt = makeRecord(sent, origin, 1, startedAt, duration, result);
        if (epoch === this.#epoch) this.#history.add(attempt, undefined);
        resolve(attempt);
      };
      const cancel = (): void =>
        answer(this.#host.clock.now(), 0, { error: 'cancelled: the server is stopping', canRetry: false });
      this.#manual.set(cancel, undefined);
      this.#lanes.add(() => {
        sent = signRequest(sent, this.#host.clock.now());
        return this.#call(sent, (attempt) => this.#manual.set(cancel, attempt), answer);
      });
    });
  }

  history(): readonly WebhookAttempt[] {
    return this.#history.list();
  }

  clear(): void {
    this.#history.clear();
  }

  reset(): void {
    this.#epoch += 1;
    this.#forgetStrays();
    for (const end of this.#cancelJobs()) this.#strays.add(end);
    const cancel = afterRealTime(STRAY_TIME, () => this.#strays.clear());
    this.#forgetStrays = () => {
      cancel();
      this.#strays.clear();
    };
    this.#history.clear();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#forgetStrays();
    this.#cancelJobs();
    this.#lanes.clear();
    for (const [cancel, attempt] of [...this.#manual]) {
      if (attempt === undefined) cancel();
      else attempt.abort();
    }
    await Promise.all(Array.from(this.#open, (attempt) => attempt.closed));
  }

  /** @returns our ends of the connections that were open */
  #cancelJobs(): readonly string[] {
    const ends: string[] = [];
    for (const job of this.#jobs) {
      job.waiting?.cancel();
      const end = job.underWay?.abort();
      if (end !== undefined) ends.push(end);
    }
    this.#jobs.clear();
    return ends;
  }

  /**
   * Whether a message is a webhook that a reset has cancelled after its bytes had left for a mock of this very host:
   * otherwise a webhook that calls its own mock would go on for ever, reset or not.
   */
  #isStray({ request }: TemplateScope): boolean {
    return this.#strays.size > 0 && this.#strays.has(String(request.get('remote')));
  }

  #queueAfter(job: Job, delay: number): void {
    const queue = (): void => {
      job.waiting = undefined;
      this.#lanes.add(() => this.#attempt(job));
    };
    if (delay === 0) queue();
    else job.waiting = this.#host.clock.after(delay, queue);
  }

  #attempt(job: Job): Promise<void> {
    // Cancelled while it waited for its turn.
    if (!this.#jobs.has(job)) return Promise.resolve();
    job.attempts += 1;
    job.request ??= renderOnce(job);
    // The time of a signature is that of the attempt.
    const request = signRequest(job.request, this.#host.clock.now());
    const begin = (attempt: Attempt): void => {
      job.underWay = attempt;
    };
    return this.#call(request, begin, (startedAt, duration, result) => {
      job.underWay = undefined;
      if (!this.#jobs.has(job)) return;
      this.#record(request, job.origin, job.attempts, startedAt, duration, result);
      if (result.canRetry && job.attempts <= job.webhook.retries)
        this.#queueAfter(job, job.webhook.retryDelay);
      else this.#jobs.delete(job);
    });
  }

  /** Makes one attempt; the promise resolves when its socket is gone. */
  async #call(
    request: OutboundRequest,
    begin: (attempt: Attempt) => void,
    end: (startedAt: number, duration: number, result: AttemptResult) => void,
  ): Promise<void> {
    const startedAt = this.#host.clock.now();
    const began = realElapsed();
    const attempt = startAttempt(request, this.#options);
    this.#open.add(attempt);
    begin(attempt);
    const result = await attempt.result;
    end(startedAt, realElapsed() - began, result);
    await attempt.closed;
    this.#open.delete(attempt);
  }

  #record(
    request: OutboundRequest,
    origin: Origin,
    attempt: number,
    startedAt: number,
    duration: number,
    result: AttemptResult,
  ): void {
    this.#history.add(makeRecord(request, origin, attempt, startedAt, duration, result), origin.logId);
  }
}

function renderOnce(job: Job): OutboundRequest {
  const { scope, trace } = job;
  job.scope = undefined;
  return scope === undefined
    ? failedRequest(job.webhook, 'there is no message to render it with')
    : renderRequest(job.webhook, { scope, trace });
}

/** @throws BacklotError `invalid` for a secret that its scheme cannot have */
function readSend(request: WebhookSend): OutboundRequest {
  try {
    return verbatimRequest(request);
  } catch (thrown) {
    const message = messageOf(thrown);
    throw invalid(message, [{ path: '/sign/secret', message }]);
  }
}

function invalidUrl(message: string): BacklotError {
  return invalid(message, [{ path: '/url', message }]);
}

function makeRecord(
  request: OutboundRequest,
  origin: Origin,
  attempt: number,
  startedAt: number,
  duration: number,
  { status, body, error }: AttemptResult,
): WebhookAttempt {
  return {
    id: randomUUID(),
    ...(origin.mockId === undefined ? {} : { mock_id: origin.mockId }),
    protocol: origin.protocol,
    timestamp: new Date(startedAt).toISOString(),
    url: request.url,
    method: request.method,
    request_headers: request.headers,
    ...(request.body === undefined ? {} : { request_body: request.body }),
    ...(status === undefined ? {} : { status_code: status }),
    ...(body === undefined ? {} : { response_body: body }),
    ...(error === undefined ? {} : { error }),
    attempt,
    duration_ms: Math.round(duration * 1000) / 1000,
  };
}
