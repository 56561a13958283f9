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
  /** The topic pattern with `*` in place of names. */
  readonly topic: string | undefined;
  readonly test: (key: string, message: AmqpMessage) => boolean;
  readonly reason: (key: string, message: AmqpMessage) => string;
  readonly captures?: (key: string) => Readonly<Record<string, string>>;
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
  const { captures } = key;
  return {
    exchange: exchange.exact,
    queue: queue.exact,
    exactKey: key.exact,
    topic: key.topic,
    test: (message) => testMessage(message, exchange, key, queue, headers, body),
    ...(captures && { params: ({ path }: AmqpMessage) => captures(path) }),
    response: mock.response === undefined ? undefined : compileResponse(mock.response, tools),
  };
}

function testMessage(
  message: AmqpMessage,
  exchange: Pattern,
  key: KeyMatcher,
  queue: Pattern,
  headers: FieldConditions | undefined,
  body: Pattern,
): TestResult {
  if (!exchange.test(message.exchange, message))
    return () => exchange.reason('exchange', message.exchange, message);
  if (!key.test(message.path, message)) return () => key.reason(message.path, message);
  if (!queue.any && !testQueues(queue, message)) {
    return () =>
      queue.reason('queue', message.queues.length === 0 ? undefined : message.queues.join(', '), message);
  }
  const fits = headers === undefined || headers(message.keptHeaders, message);
  if (fits !== true) return fits;
  return body.any || body.test(message.text, message) || (() => body.reason('body', message.text, message));
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
    topic: undefined,
    test: (key, message) => pattern.test(key, message),
    reason: (key, message) => pattern.reason('routing_key', key, message),
  };
}
