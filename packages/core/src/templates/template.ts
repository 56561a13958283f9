import type { CompileBudget } from '../validation/compile-budget.js';
import { isJson, makesJson } from './json-context.js';
import { NodeCompiler } from './nodes.js';
import { parseTemplate } from './parse.js';
import { Run } from './run.js';
import type { TemplateScope } from './scope.js';

export type { RequestView, TemplateScope } from './scope.js';
export { compileValue, type ValueTemplate } from './value.js';

/** A compiled text template. */
export interface Template {
  readonly source: string;
  /** Whether there is no tag at all, so that rendering gives the source. */
  readonly constant: boolean;
  /**
   * Whether it is the message's own body and nothing else, `{{request.raw_body}}`: a kind may then send the very bytes,
   * which also keeps what is no text.
   */
  readonly isWholeBody: boolean;
  /** Whether values are escaped for JSON. */
  readonly target: 'json' | 'text';
  /**
   * Renders the template for one message.
   *
   * @throws too_large when the result is larger than 16 MiB, or rendering takes more than about 50 ms of work
   */
  render(scope: TemplateScope): string;
}

const WHOLE_BODY = /^\{\{\{?\s*\.?request\.raw_body\s*\}?\}\}$/;

/**
 * Compiles a text template: mustache with helpers. A tag whose first name means nothing stays in the text.
 *
 * @param options - `target`: `json` escapes values for JSON, `text` not at all, `auto` (the default) looks whether
 * the template makes JSON; `budget`: what the templates of one mock share
 * @throws invalid when the template does not parse or a helper is called with arguments it cannot take
 */
export function compileTemplate(
  text: string,
  options: { target?: 'json' | 'text' | 'auto'; budget?: CompileBudget } = {},
): Template {
  const wanted = options.target ?? 'auto';
  const parts = parseTemplate(text, options.budget);
  if (parts === undefined) {
    const target = wanted === 'auto' ? (isJson(text) ? 'json' : 'text') : wanted;
    return { source: text, constant: true, isWholeBody: false, target, render: () => text };
  }
  const target = wanted === 'auto' ? (makesJson(text, parts) ? 'json' : 'text') : wanted;
  const write = new NodeCompiler(target === 'json').compile(parts);
  return {
    source: text,
    constant: false,
    isWholeBody: WHOLE_BODY.test(text),
    target,
    render(scope) {
      const run = new Run(scope);
      write(run);
      return run.take();
    },
  };
}
