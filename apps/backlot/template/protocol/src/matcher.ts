import type { CompiledMock, CompileTools, Template, ValueOf } from '@backlot/core/plugin';
import type { MockSchema } from './schemas.js';
import type { __Kind__Message } from './shape.js';

/** A compiled mock. */
export interface Compiled__Kind__ extends CompiledMock<__Kind__Message> {
  readonly response: Template;
}

/** Compiles a mock. Mocks for one exact line are found by it, so that their number does not matter. */
export function compileMock(mock: ValueOf<typeof MockSchema>, tools: CompileTools): Compiled__Kind__ {
  const pattern = tools.pattern(mock.match, '/match');
  return {
    key: pattern.exact ?? '*',
    test: ({ body }) => pattern.test(body) || (() => pattern.reason('line', body)),
    response: tools.template(mock.response, '/response'),
  };
}
