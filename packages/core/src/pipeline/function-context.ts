import type {
  FunctionWebhook,
  RespondClock,
  RespondContext,
  RespondKeys,
  RespondState,
} from '../contract/respond.js';
import type { Log } from '../contract/log.js';
import type { CompiledWebhook, WebhookCause } from '../contract/webhook.js';
import { invalid } from '../errors.js';
import type { Random } from '../random/random.js';
import type { ChangeQueue } from '../collections/change-queue.js';
import { NOTHING_FOUND, type Found } from '../collections/operation.js';
import { literalTemplate, type Template } from '../templates/template.js';
import { DataMatch } from './data-match.js';
import type { MockMatch } from './match.js';
import type { HostServices, KindRuntime } from './runtime.js';

const RETRY_DELAY = 1000;

/** A text that is sent as it is. */
function text(value: string): Template {
  return literalTemplate(value, { target: 'text' });
}

/** What the function of a mock is given beside the message. */
export class FunctionContext implements RespondContext {
  readonly mockId: string;
  readonly call: number;
  readonly #match: MockMatch;
  readonly #services: HostServices;
  readonly #cause: Pick<WebhookCause, 'protocol' | 'logId'>;
  readonly #log: Log;
  #abort: AbortController | undefined;
  #hasLeft = false;
  #isAnswered = false;
  #queues: ChangeQueue[] | undefined;
  readonly #leaving = new Set<() => void>();

  constructor(
    match: MockMatch,
    { services, log }: Pick<KindRuntime, 'services' | 'log'>,
    cause: Pick<WebhookCause, 'protocol' | 'logId'>,
  ) {
    this.#cause = cause;
    this.#log = log;
    this.mockId = match.mock.id;
    this.call = match.call;
    this.#match = match;
    this.#services = services;
  }

  get state(): RespondState {
    return this.#services.state;
  }

  get clock(): RespondClock {
    const { clock } = this.#services;
    return { now: () => clock.now(), wait: (milliseconds, signal) => this.#wait(milliseconds, signal) };
  }

  get row(): unknown {
    return this.#found.row;
  }

  get rows(): readonly unknown[] | undefined {
    return this.#found.rows;
  }

  get found(): Readonly<Record<string, unknown>> {
    return this.#found;
  }

  get collection(): RespondContext['collection'] {
    const { collections } = this.#services;
    return (name) => collections.get(name);
  }

  get changes(): RespondContext['changes'] {
    const { collections } = this.#services;
    return (...names) => {
      const queue = collections.changes(names);
      if (this.#isAnswered || this.#hasLeft) queue.end();
      else (this.#queues ??= []).push(queue);
      // The types of the rows are the caller's.
      return queue as never;
    };
  }

  get random(): Random {
    return this.#match.scope.random();
  }

  get keys(): RespondKeys {
    const { clock, keys } = this.#services;
    return {
      sign: (name, claims, typ) => keys.sign(name, claims, typ),
      verify: (name, token, leeway) => keys.verify(name, token, clock.now(), leeway),
      publicKeys: (names) => keys.publicKeys(names),
    };
  }

  get vars(): Readonly<Record<string, unknown>> {
    return this.#services.vars;
  }

  webhook({ url, method = 'POST', headers = {}, body, sign, delay = 0, retries = 0 }: FunctionWebhook): void {
    if (typeof url !== 'string' || url === '')
      throw invalid('a webhook needs a url, such as http://localhost:3000/hook');
    const { webhooks } = this.#services;
    if (webhooks?.enabled !== true || this.#hasLeft) return;
    const webhook: CompiledWebhook = {
      url: text(url),
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, text(value)]),
      body: body === undefined ? undefined : text(body),
      sign: sign === undefined ? undefined : { scheme: sign.scheme, secret: text(sign.secret) },
      delay,
      retries,
      retryDelay: RETRY_DELAY,
    };
    webhooks.fire([webhook], { ...this.#cause, mockId: this.mockId, scope: this.#match.scope });
  }

  streams(of: string): readonly string[] {
    return this.#services.emitter.open(of);
  }

  push(to: string, data: unknown): void {
    if (this.#hasLeft) return;
    this.#services.emitter.push(to, data, { mockId: this.mockId, log: this.#log });
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#hasLeft) this.#abort.abort();
    return this.#abort.signal;
  }

  get #found(): Found {
    return this.#match instanceof DataMatch ? this.#match.found : NOTHING_FOUND;
  }

  /** The answer is complete: nothing goes on. */
  answered(): void {
    this.#isAnswered = true;
    for (const queue of this.#queues?.splice(0) ?? []) queue.end();
  }

  /** Nobody waits for the answer any more. */
  leave(): void {
    this.#hasLeft = true;
    this.answered();
    this.#abort?.abort();
    for (const end of [...this.#leaving]) end();
  }

  #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#hasLeft || signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const finish = (hasArrived: boolean): void => {
        this.#leaving.delete(end);
        signal?.removeEventListener('abort', end);
        resolve(hasArrived);
      };
      const waiting = this.#services.clock.after(milliseconds, () => finish(true));
      const end = (): void => {
        waiting.cancel();
        finish(false);
      };
      this.#leaving.add(end);
      signal?.addEventListener('abort', end);
    });
  }
}
