import type { CompileTools, Pointer } from '../contract/tools.js';
import type { CompiledWebhook, WebhookDefinition } from '../contract/webhook.js';
import { BacklotError, messageOf, type Problem } from '../errors.js';
import { compilePattern } from '../patterns/pattern.js';
import { compilePathPattern } from '../patterns/path-pattern.js';
import { compileRegex } from '../patterns/regex.js';
import { compileTemplate, compileValue } from '../templates/template.js';
import { parseDuration } from '../time/duration.js';
import { CompileBudget } from '../validation/compile-budget.js';
import { MAX_PROBLEMS } from '../validation/problem-list.js';
import { pointTo } from '../validation/pointer.js';

const MAX_WEBHOOK_DELAY = 3_600_000;
const DEFAULT_RETRY_DELAY = 1_000;

/** The tools for one compilation, with the problems that they noted. */
export class NotingTools implements CompileTools {
  readonly problems: Problem[] = [];
  readonly #budget = new CompileBudget();

  pattern: CompileTools['pattern'] = (source, at, options) =>
    this.attempt(at, compilePattern(undefined), () =>
      compilePattern(source, { ...options, budget: this.#budget }),
    );

  regex: CompileTools['regex'] = (source, at) =>
    this.attempt(at, compileRegex(''), () => compileRegex(source, { budget: this.#budget }));

  path: CompileTools['path'] = (source, at) =>
    this.attempt(at, compilePathPattern('*'), () => compilePathPattern(source, this.#budget));

  template: CompileTools['template'] = (source, at, options) =>
    this.attempt(at, compileTemplate(''), () =>
      compileTemplate(source, { ...options, budget: this.#budget }),
    );

  value: CompileTools['value'] = (source, at) => {
    if (this.problems.length >= MAX_PROBLEMS) return compileValue(null);
    try {
      return compileValue(source, this.#budget);
    } catch (thrown) {
      const details = thrown instanceof BacklotError ? thrown.details : undefined;
      for (const { path, message } of details ?? [{ path: '', message: messageOf(thrown) }])
        this.problem(at + path, message);
      return compileValue(null);
    }
  };

  duration: CompileTools['duration'] = (source, at) =>
    source === undefined ? 0 : this.attempt(at, 0, () => parseDuration(source));

  webhooks: CompileTools['webhooks'] = (list, at) => {
    if (list === undefined || list.length === 0) return undefined;
    return list.map((definition, index) => this.#webhook(definition, pointTo(at, index)));
  };

  problem: CompileTools['problem'] = (path, message) => {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path, message });
  };

  attempt: CompileTools['attempt'] = (at, instead, make) => {
    // The mock is refused, and nothing further would be named.
    if (this.problems.length >= MAX_PROBLEMS) return instead;
    try {
      return make();
    } catch (thrown) {
      this.problem(at, messageOf(thrown));
      return instead;
    }
  };

  #webhook(definition: WebhookDefinition, at: Pointer): CompiledWebhook {
    const isJson = !Object.entries(definition.headers ?? {}).some(
      ([name, value]) => name.toLowerCase() === 'content-type' && !value.toLowerCase().includes('json'),
    );
    const url = this.template(definition.url, pointTo(at, 'url'), { target: 'text' });
    if (url.constant) this.attempt(pointTo(at, 'url'), undefined, () => checkUrl(definition.url));
    const method = (definition.method ?? 'POST').toUpperCase();
    if (!/^[!#$%&'*+.^_`|~0-9A-Z-]+$/.test(method)) {
      this.problem(
        pointTo(at, 'method'),
        `must be a request method such as POST, got "${definition.method ?? ''}"`,
      );
    }
    return {
      url,
      method,
      headers: Object.entries(definition.headers ?? {}).map(([name, value]) => {
        const place = pointTo(pointTo(at, 'headers'), name);
        if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) this.problem(place, `"${name}" is no header name`);
        return [name, this.template(value, place, { target: 'text' })] as const;
      }),
      body:
        definition.body === undefined
          ? undefined
          : this.template(definition.body, pointTo(at, 'body'), { target: isJson ? 'auto' : 'text' }),
      delay: this.#webhookDelay(definition.delay, 0, pointTo(at, 'delay')),
      retries: definition.retries ?? 0,
      retryDelay: this.#webhookDelay(definition.retry_delay, DEFAULT_RETRY_DELAY, pointTo(at, 'retry_delay')),
    };
  }

  #webhookDelay(source: string | undefined, instead: number, at: Pointer): number {
    const delay = source === undefined ? instead : this.duration(source, at);
    if (delay > MAX_WEBHOOK_DELAY) this.problem(at, `must be at most 1h, got "${source ?? ''}"`);
    return delay;
  }
}

function checkUrl(url: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error(`must be an absolute http or https url, got "${url}"`);
  }
}
