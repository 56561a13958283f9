import type { CompileTools, ValueOf } from '@backlot/core/plugin';
import type { MockSchema } from './schemas.js';
import type { __Kind__Message } from './shape.js';

/** Compiles a mock. Mocks for one exact line are found by it, so that their number does not matter. */
export function compileMock(mock: ValueOf<typeof MockSchema>, tools: CompileTools) {
  const pattern = tools.pattern(mock.match, '/match');
  return {
    key: pattern.exact ?? '*',
    test: ({ body }: __Kind__Message) => pattern.test(body) || (() => pattern.reason('line', body)),
    response: tools.template(mock.response, '/response'),
  };
}
