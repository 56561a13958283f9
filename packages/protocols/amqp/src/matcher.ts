import {
  compileHeaders,
  testAny,
  type CompiledMock,
  type CompileTools,
  type FieldConditions,
  type Pattern,
  type PatternSource,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import { compileSubject, type CompiledSubject } from '@backlot/kit/wildcards';
import type { AmqpMessage } from './message.js';
import { ROUTING_KEYS } from './broker/routing-keys.js';
import { compileResponse, type CompiledResponse } from './response.js';
import type { MockSchema } from './schemas.js';

/** How a mock's routing key is compared. */
interface KeyMatcher {
  /** The only key that matches. */
  readonly exact: string | undefined;
  /** Whether that key always matches. */
  readonly isExact: boolean;
  /** The topic pattern with `*` in place of names. */
  readonly topic: string | undefined;
  readonly test: (key: string, message: AmqpMessage) => boolean;
  readonly reason: (key: string, message: AmqpMessage) => string;
  readonly captures?: (key: string) => Readonly<Record<string, string>>;
}

/** What a mock asks for beside the routing key; a pattern that any value matches is not here. */
interface Conditions {
  readonly exchange: Pattern | undefined;
  readonly queue: Pattern | undefined;
  readonly headers: FieldConditions | undefined;
  readonly body: Pattern | undefined;
}

/** A compiled mock. */
export interface CompiledAmqp extends CompiledMock<AmqpMessage> {
  readonly exchange: string | undefined;
  readonly queue: string | undefined;
  readonly exactKey: string | undefined;
  readonly topic: string | undefined;
  readonly response: CompiledResponse | undefined;
}

const WILD_WORD = /(^|\.)(\*|#|\{[A-Za-z_][A-Za-z0-9_]*\})(\.|$)/;

/** Compiles a mock. */
export function compileMock(mock: ValueOf<typeof MockSchema>, tools: CompileTools): CompiledAmqp {
  const exchange = tools.pattern(mock.exchange, '/exchange');
  const queue = tools.pattern(mock.queue, '/queue');
  const body = tools.pattern(mock.body, '/body');
  const headers = compileHeaders(mock.headers, tools, '/headers');
  const key = compileKey(mock.routing_key, tools);
  const response = mock.response === undefined ? undefined : compileResponse(mock.response, tools);
  const asked = { exchange: unlessAny(exchange), queue: unlessAny(queue), headers, body: unlessAny(body) };
  const Matcher = key.captures === undefined ? AmqpMatcher : CapturingMatcher;
  return new Matcher(key, asked, exchange.exact, queue.exact, response);
}

function unlessAny(pattern: Pattern): Pattern | undefined {
  return pattern.any ? undefined : pattern;
}

/** A class, since thousands of mocks with functions of their own are thousands of places that no cache holds. */
class AmqpMatcher implements CompiledAmqp {
  // What every match reads comes first.
  /** Whether the key needs no test where the index has given the mock. */
  readonly #isSure: boolean;
  /** What is asked for beside the key; absent when that is nothing. */
  readonly #asked: Conditions | undefined;
  readonly response: CompiledResponse | undefined;
  protected readonly keys: KeyMatcher;
  readonly exchange: string | undefined;
  readonly queue: string | undefined;
  readonly exactKey: string | undefined;
  readonly topic: string | undefined;

  constructor(
    key: KeyMatcher,
    asked: Conditions,
    exchange: string | undefined,
    queue: string | undefined,
    response: CompiledResponse | undefined,
  ) {
    // A mock for a queue is found by that.
    this.#isSure = queue === undefined && (key.isExact || key.topic !== undefined);
    this.#asked = Object.values(asked).every((condition) => condition === undefined) ? undefined : asked;
    this.response = response;
    this.keys = key;
    this.exchange = exchange;
    this.queue = queue;
    this.exactKey = key.exact;
    this.topic = key.topic;
  }

  test(message: AmqpMessage, isFound = false): TestResult {
    const asked = this.#asked;
    const exchange = asked?.exchange;
    const { path } = message;
    if (exchange?.test(message.exchange, message) === false)
      return () => exchange.reason('exchange', message.exchange, message);
    if (!(isFound && this.#isSure) && !this.keys.test(path, message))
      return () => this.keys.reason(path, message);
    return asked === undefined ? true : testBeside(asked, message);
  }
}

/** A compiled mock whose key has named words. */
class CapturingMatcher extends AmqpMatcher {
  params({ path }: AmqpMessage): Readonly<Record<string, string>> {
    return this.keys.captures?.(path) ?? {};
  }
}

function testBeside({ queue, headers, body }: Conditions, message: AmqpMessage): TestResult {
  if (queue !== undefined && !testQueues(queue, message)) {
    return () =>
      queue.reason('queue', message.queues.length === 0 ? undefined : message.queues.join(', '), message);
  }
  const fits = headers === undefined || headers(message.keptHeaders, message);
  if (fits !== true) return fits;
  return (
    body === undefined ||
    body.test(message.text, message) ||
    (() => body.reason('body', message.text, message))
  );
}

function testQueues(pattern: Pattern, message: AmqpMessage): boolean {
  return testAny(pattern, message.queues, message);
}

/** Words as in a topic binding where there is a wildcard word, else a pattern; `*` alone is any key, as everywhere. */
function compileKey(source: PatternSource | undefined, tools: CompileTools): KeyMatcher {
  if (typeof source === 'string' && source !== '*' && !source.startsWith('re:') && WILD_WORD.test(source)) {
    const subject = tools.attempt<CompiledSubject | undefined>('/routing_key', undefined, () =>
      compileSubject(source, ROUTING_KEYS),
    );
    if (subject !== undefined) {
      return {
        exact: undefined,
        isExact: false,
        topic: subject.wildcards,
        test: (key) => subject.test(key),
        reason: (key) => `routing_key: got "${key}", want "${source}"`,
        captures: (key) => subject.captures(key) ?? {},
      };
    }
  }
  const pattern = tools.pattern(source, '/routing_key');
  return {
    exact: pattern.exact,
    isExact: pattern.isExact,
    topic: undefined,
    test: (key, message) => pattern.test(key, message),
    reason: (key, message) => pattern.reason('routing_key', key, message),
  };
}
