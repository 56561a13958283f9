import type { CompileTools, ValueOf } from '@backlot/core/plugin';
import type { MockSchema } from './schemas.js';
import type { GopherMessage } from './shape.js';

/**
 * Compiles a mock: one of `text` and `menu` is there. Mocks for one exact selector are found by it, so that their number does not
 * matter.
 */
export function compileMock(mock: ValueOf<typeof MockSchema>, tools: CompileTools) {
  const { text, menu } = mock;
  if ((text === undefined) === (menu === undefined)) {
    tools.problem('', 'a mock answers with either "text" or "menu": give one of them');
  }
  const selector = tools.pattern(mock.selector, '/selector');
  const search = tools.pattern(mock.search, '/search');
  return {
    key: selector.exact ?? '*',
    test({ path, query = {} }: GopherMessage) {
      if (!selector.test(path)) return () => selector.reason('selector', path);
      return search.test(query.search) || (() => search.reason('search', query.search));
    },
    text: text === undefined ? undefined : tools.template(text, '/text', { target: 'text' }),
    menu: menu === undefined ? undefined : tools.value(menu, '/menu'),
  };
}
