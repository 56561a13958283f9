import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import { recordCaptures, type CapturedGroups } from '../patterns/captures.js';

/**
 * Lets a mock give what the regular expressions in its patterns capture, beside what its kind reads from paths and names. It is
 * for mocks with named groups alone: others are left as they are.
 */
export function giveCaptures(compiled: CompiledMock<Message>): void {
  const own = compiled.params?.bind(compiled);
  const params = (message: Message): CapturedGroups => ({
    ...own?.(message),
    ...recordCaptures(() => compiled.test?.(message)),
  });
  Object.assign(compiled, { params });
}
