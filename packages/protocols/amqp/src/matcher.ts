import type {
  CompiledMock,
  CompileTools,
  Pattern,
  PatternSource,
  TestResult,
  ValueOf,
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
  readonly test: (key: string) => boolean;
  readonly reason: (key: string) => string;
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
  const key = compileKey(mock.routing_key, tools);
  const { captures } = key;
  return {
    exchange: exchange.exact,
    queue: queue.exact,
    exactKey: key.exact,
    topic: key.topic,
    test: (message) => testMessage(message, exchange, key, queue, body),
    ...(captures === undefined ? {} : { params: ({ path }: AmqpMessage) => captures(path) }),
    response: mock.response === undefined ? undefined : compileResponse(mock.response, tools),
  };
}

function testMessage(
  message: AmqpMessage,
  exchange: Pattern,
  key: KeyMatcher,
  queue: Pattern,
  body: Pattern,
): TestResult {
  if (!exchange.test(message.exchange)) return () => exchange.reason('exchange', message.exchange);
  if (!key.test(message.path)) return () => key.reason(message.path);
  if (!queue.any && !testQueues(queue, message.queues)) {
    return () => queue.reason('queue', message.queues.length === 0 ? undefined : message.queues.join(', '));
  }
  return body.any || body.test(message.text) || (() => body.reason('body', message.text));
}

function testQueues(pattern: Pattern, queues: readonly string[]): boolean {
  return queues.length === 0 ? pattern.test(undefined) : queues.some((name) => pattern.test(name));
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
    test: (key) => pattern.test(key),
    reason: (key) => pattern.reason('routing_key', key),
  };
}
