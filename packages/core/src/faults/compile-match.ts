import type { Json } from '../contract/given.js';
import type { CompiledMock, TestResult } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { MockIndex } from '../contract/mock-index.js';
import type { Protocol } from '../contract/protocol.js';
import type { Problem } from '../errors.js';
import { NotingTools, type HostParts } from '../mocks/compile-tools.js';
import { compileMock } from '../mocks/live-mock.js';
import type { PatternSource } from '../patterns/pattern.js';

/** Whether a fault is meant for a message; where it is not, why. */
export type MessageTest = (message: Message) => TestResult;

/** What a match is compiled with: what the mocks of the kind are. */
export interface MatchSurroundings {
  readonly index: MockIndex<Message, CompiledMock<Message>>;
  readonly host: HostParts;
}

/**
 * Compiles the match of a fault as a mock of the kind is compiled.
 *
 * @param match - what its schema has passed
 * @returns what tells whether a message matches, or every problem, with pointers into the match
 */
export function compileMatch(
  protocol: Protocol,
  match: Json,
  { index, host }: MatchSurroundings,
): MessageTest | { readonly problems: readonly Problem[] } {
  const { mocks } = protocol;
  if (mocks.matching === undefined) return compileLogged(match, host);
  const whole = mocks.matching.whole?.(match) ?? match;
  const made = compileMock(protocol, { ...whole, id: 'fault' }, index, host);
  if ('problems' in made) return made;
  const { compiled } = made;
  if (compiled.test !== undefined) return (message) => compiled.test?.(message) ?? true;
  // Where the index alone decides, its key does.
  const { key = '*' } = compiled;
  return (message) => mocks.keys?.(message).includes(key) !== false || 'another key';
}

function compileLogged(
  match: Json,
  host: HostParts,
): MessageTest | { readonly problems: readonly Problem[] } {
  const tools = new NotingTools(host);
  const parts = (['method', 'path'] as const).flatMap((name) => {
    const source = match[name] as PatternSource | undefined;
    return source === undefined ? [] : [{ name, pattern: tools.pattern(source, `/${name}`) }];
  });
  if (tools.problems.length > 0) return { problems: tools.problems };
  return (message) => {
    for (const { name, pattern } of parts)
      if (!pattern.test(message[name], message)) return () => pattern.reason(name, message[name], message);
    return true;
  };
}
