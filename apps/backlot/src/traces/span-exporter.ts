import type { Host, JournalItem } from '@backlot/core';
import type { ExportSettings } from './export-settings.js';
import { attributesOf, spanOf, type OtlpSpan } from './span-of.js';

/** How many spans may wait, and how many leave together. */
const MAX_WAITING = 2048;
const MAX_BATCH = 512;
/** How often a request is tried that a collector has put off. */
const TRIES = 3;
const PUT_OFF: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** By which requests of an export are known where they come back to a mock of the same server: they have no spans. */
const AGENT = 'backlot-otlp';

/**
 * Sends a span for each entry of the log by OTLP over HTTP, many at once; what comes too fast is left out and counted. What waits are
 * the spans, which are small, and not the entries.
 */
export class SpanExporter {
  readonly #host: Host;
  readonly #settings: ExportSettings;
  readonly #warn: (text: string) => void;
  readonly #ended = new AbortController();
  readonly #forget: () => void;
  #waiting: OtlpSpan[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  /** What was said last, so that a collector that is away is one line of the log. */
  #said = '';

  /** @param warn - told what goes wrong, once for as long as it is the same */
  constructor(host: Host, settings: ExportSettings, warn: (text: string) => void) {
    this.#host = host;
    this.#settings = settings;
    this.#warn = warn;
    this.#forget = host.journal.subscribe({}, (item) => this.#add(item), true);
  }

  /** Sends what waits. @returns when it has left, or could not */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#sending;
    if (this.#waiting.length === 0) return;
    this.#sending = this.#send();
    await this.#sending;
  }

  /** Sends what waits, for so many milliseconds at most, and follows the log no longer. */
  async stop(grace: number): Promise<void> {
    this.#forget();
    const timer = setTimeout(() => this.#ended.abort(), grace);
    await this.flush();
    clearTimeout(timer);
  }

  #add(item: JournalItem): void {
    const { 'user-agent': agent } = item.message.headers ?? {};
    if (typeof agent === 'string' && agent.startsWith(AGENT)) return;
    if (!item.ended) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    const span = spanOf(item.render('bodies'));
    if (span === undefined) return;
    this.#waiting.push(span);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, this.#settings.delay).unref();
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#ended.signal.aborted) {
      this.#say(await this.#post(this.#waiting.splice(0, MAX_BATCH)));
    }
    if (this.#dropped > 0)
      this.#warn(`${this.#dropped} spans were left out: they came faster than they left`);
    this.#dropped = 0;
  }

  /** @returns what went wrong; an empty text when all went well */
  async #post(spans: readonly OtlpSpan[]): Promise<string> {
    const { url, headers, timeout } = this.#settings;
    const body = JSON.stringify(this.#document(spans));
    for (let left = TRIES; ; left -= 1) {
      try {
        const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(timeout)]);
        const type = { 'content-type': 'application/json', 'user-agent': `${AGENT}/${this.#host.version}` };
        const answer = await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body, signal });
        const text = await answer.text();
        if (answer.ok) return '';
        if (left === 1 || !PUT_OFF.has(answer.status))
          return `${url} answered ${answer.status}: ${text.slice(0, 200)}`;
        await pause(waitOf(answer.headers.get('retry-after')), this.#ended.signal);
      } catch (thrown) {
        const { cause, message } = thrown as {
          readonly cause?: { readonly message?: string };
          readonly message: string;
        };
        return `${url}: ${cause?.message ?? message}`;
      }
    }
  }

  #document(spans: readonly OtlpSpan[]): object {
    const { resource } = this.#settings;
    const scope = { name: 'backlot', version: this.#host.version };
    return {
      resourceSpans: [
        {
          resource: { attributes: attributesOf({ 'service.version': this.#host.version, ...resource }) },
          scopeSpans: [{ scope, spans }],
        },
      ],
    };
  }

  #say(problem: string): void {
    if (problem !== '' && problem !== this.#said) this.#warn(`spans were not taken: ${problem}`);
    this.#said = problem;
  }
}

/** Milliseconds that a collector wants one to wait. */
function waitOf(after: string | null): number {
  const seconds = Number(after ?? 1);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 30) * 1000 : 1000;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}
