import type { KindContract } from '../contracts/kind-contract.js';
import type { Collections } from '../contract/collections.js';
import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { SharedCounts } from '../contract/shared-counts.js';
import type { CompileTools, Pointer } from '../contract/tools.js';
import type { KeyRing } from '../keys/key-ring.js';
import type { CompiledWebhook, WebhookDefinition } from '../contract/webhook.js';
import { messageOf, problemsIn, type Problem } from '../errors.js';
import { compilePattern } from '../patterns/pattern.js';
import { giveCaptures } from './give-captures.js';
import type { OwnSurroundings } from '../patterns/pattern-settings.js';
import { compilePlaces } from '../patterns/place-conditions.js';
import { compilePathPattern } from '../patterns/path-pattern.js';
import { compileRegex } from '../patterns/regex.js';
import { compileTemplate, compileValue } from '../templates/template.js';
import { compileDelay } from '../time/delay.js';
import { contentTypeIn } from '../templates/target.js';
import { parseDuration } from '../time/duration.js';
import { CompileBudget } from '../validation/compile-budget.js';
import { MAX_PROBLEMS } from '../validation/problem-list.js';
import { pointTo } from '../validation/pointer.js';

const MAX_WEBHOOK_DELAY = 3_600_000;
const DEFAULT_RETRY_DELAY = 1_000;
const STANDARD_SECRET = /^(?:whsec_)?(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What parts of a mock use of the host that they are compiled for. */
export interface HostParts {
  readonly keys: KeyRing;
  readonly clock: { now(): number };
  readonly collections: Pick<Collections, 'get'>;
  /** Whether other hosts answer the same clients: see `replica` of the options of a host. */
  readonly isReplica?: boolean;
  /** What counts matches on all of them together. */
  readonly sharedCounts?: SharedCounts | undefined;
  /** What mocks are held to now. */
  contract?(): KindContract | undefined;
  /** The titles of the kinds whose mocks have such a field, as far as their declarations are loaded. */
  kindsWith?(field: string): readonly string[];
  /** Whether all of them make together what matches change. */
  readonly sharesChanges?: boolean;
  /** Makes what the patterns of one mock see. */
  surroundings(): OwnSurroundings;
}

/** The tools for one compilation, with the problems that they noted. */
export class NotingTools implements CompileTools {
  readonly problems: Problem[] = [];
  /** What the parts say and hardly mean. */
  readonly warnings: Problem[] = [];
  /** Names that templates will see beside those that all see. */
  readonly names = new Set<string>();
  #usesHost = false;
  #isCapturing = false;
  readonly #budget = new CompileBudget();
  readonly #host: HostParts | undefined;
  readonly #surroundings: OwnSurroundings | undefined;

  /** @param host - what parts use of the host; absent where there are no messages */
  constructor(host?: HostParts) {
    this.#host = host;
    this.#surroundings = host?.surroundings();
  }

  /** Whether what was compiled belongs to this host alone. */
  get usesHost(): boolean {
    return this.#usesHost || this.#surroundings?.isUsed === true;
  }

  /** The sequences that its templates count on, with how often at most for one message. */
  get sequences(): ReadonlyMap<string, number> {
    return this.#budget.sequences;
  }

  /** Whether it is only known of a message which sequences its templates count on, or how often. */
  get hasOpenSequences(): boolean {
    return this.#budget.hasOpenSequences;
  }

  /** Says what the mock has compiled to: it gives what its patterns capture, and templates in its patterns see that. */
  finish(compiled: CompiledMock<Message>): void {
    if (this.#isCapturing) giveCaptures(compiled);
    if (this.#surroundings !== undefined) this.#surroundings.compiled = compiled;
  }

  #onCapturing = (): void => {
    this.#isCapturing = true;
  };

  pattern: CompileTools['pattern'] = (source, at, options) =>
    this.attempt(at, compilePattern(undefined), () =>
      compilePattern(source, {
        ...options,
        budget: this.#budget,
        surroundings: this.#surroundings,
        onCapturing: this.#onCapturing,
      }),
    );

  places: CompileTools['places'] = (source, at, { label }) =>
    compilePlaces(source, at, label, this.attempt, {
      caseInsensitive: false,
      budget: this.#budget,
      surroundings: this.#surroundings,
      onCapturing: this.#onCapturing,
    });

  regex: CompileTools['regex'] = (source, at) =>
    this.attempt(at, compileRegex(''), () => compileRegex(source, { budget: this.#budget }));

  path: CompileTools['path'] = (source, at) =>
    this.attempt(at, compilePathPattern('*'), () => compilePathPattern(source, this.#budget));

  template: CompileTools['template'] = (source, at, options) =>
    this.attempt(at, compileTemplate(''), () =>
      compileTemplate(source, {
        ...options,
        budget: this.#budget,
        warn: (message, name) => this.#warning(at, message, name),
        noteKey: (name) => this.#noteKey(at, name),
      }),
    );

  value: CompileTools['value'] = (source, at, options) => {
    if (this.problems.length >= MAX_PROBLEMS) return compileValue(null);
    try {
      return compileValue(
        source,
        this.#budget,
        (path, message, name) => this.#warning(at + path, message, name),
        options?.bytes,
        (path, name) => this.#noteKey(at + path, name),
      );
    } catch (thrown) {
      this.#noteAll(thrown, at);
      return compileValue(null);
    }
  };

  delay: CompileTools['delay'] = (source, at) => {
    try {
      return compileDelay(source, at);
    } catch (thrown) {
      this.#noteAll(thrown, at);
      return 0;
    }
  };

  duration: CompileTools['duration'] = (source, at) =>
    source === undefined ? 0 : this.attempt(at, 0, () => parseDuration(source));

  tokens: CompileTools['tokens'] = (name, at) => {
    const { keys, clock } = this.#host ?? {};
    this.#checkKey(keys, at, name);
    return {
      verify: (token, leeway) =>
        keys?.verify(name, token, clock?.now() ?? 0, leeway) ?? { claims: undefined, problem: 'has no key' },
    };
  };

  rows: CompileTools['rows'] = (collection) => {
    const { collections } = this.#host ?? {};
    this.#usesHost = true;
    return () => collections?.get<Readonly<Record<string, unknown>>>(collection).values() ?? [];
  };

  webhooks: CompileTools['webhooks'] = (list, at) => {
    if (list === undefined || list.length === 0) return undefined;
    this.names.add('webhook');
    const compiled = list.map((definition, index) => this.#webhook(definition, pointTo(at, index)));
    this.names.delete('webhook');
    return compiled;
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

  /** Notes each of the problems that something thrown names. */
  #noteAll(thrown: unknown, at: Pointer): void {
    for (const { path, message } of problemsIn(thrown, at)) this.problem(path, message);
  }

  /** A template without a host may be rendered by any, which says then what it has not. */
  #noteKey(at: Pointer, name: string): void {
    if (this.#host !== undefined) this.#checkKey(this.#host.keys, at, name);
  }

  #checkKey(keys: KeyRing | undefined, at: Pointer, name: string): void {
    this.#usesHost = true;
    if (keys?.has(name) === true) return;
    const names = keys?.names ?? [];
    const have = names.length === 0 ? 'the configuration has no "keys"' : `known are ${names.join(', ')}`;
    this.problem(at, `there is no key ${JSON.stringify(name)}; ${have}`);
  }

  #warning(path: Pointer, message: string, name: string): void {
    if (!this.names.has(name) && this.warnings.length < MAX_PROBLEMS) this.warnings.push({ path, message });
  }

  #webhook(definition: WebhookDefinition, at: Pointer): CompiledWebhook {
    const contentType = contentTypeIn(definition.headers);
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
          : this.template(definition.body, pointTo(at, 'body'), { contentType }),
      sign: this.#sign(definition.sign, pointTo(at, 'sign')),
      delay: this.#webhookDelay(definition.delay, 0, pointTo(at, 'delay')),
      retries: definition.retries ?? 0,
      retryDelay: this.#webhookDelay(definition.retry_delay, DEFAULT_RETRY_DELAY, pointTo(at, 'retry_delay')),
    };
  }

  #sign(sign: WebhookDefinition['sign'], at: Pointer): CompiledWebhook['sign'] {
    if (sign === undefined) return undefined;
    const place = pointTo(at, 'secret');
    const secret = this.template(sign.secret, place, { target: 'text' });
    if (sign.scheme === 'standard' && secret.constant && !STANDARD_SECRET.test(sign.secret)) {
      this.problem(place, 'must be base64, as in "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"');
    }
    return { scheme: sign.scheme, secret };
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
