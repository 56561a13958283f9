import type { CompileBudget } from '../validation/compile-budget.js';
import { isJson, makesJson } from './json-context.js';
import { maySign, noteKeys, type NoteKey } from './named-keys.js';
import { NodeCompiler, type Warn } from './nodes.js';
import { parseTemplate } from './parse.js';
import { Run } from './run.js';
import type { TemplateScope } from './scope.js';
import { targetOf, type Target } from './target.js';

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
  /** What values are escaped for. */
  readonly target: Target;
  /**
   * Renders the template for one message.
   *
   * @throws too_large when the result is larger than 16 MiB, or rendering takes more than about 50 ms of work
   */
  render(scope: TemplateScope): string;
}

interface TemplateOptions {
  target?: Target | 'auto' | undefined;
  contentType?: string | undefined;
}

/** A text that is no template: braces in it are text. The options are those of {@link compileTemplate}. */
export function literalTemplate(text: string, options: TemplateOptions = {}): Template {
  const wanted = options.target ?? targetOf(options.contentType);
  const target = wanted === 'auto' ? (isJson(text) ? 'json' : 'text') : wanted;
  return { source: text, constant: true, isWholeBody: false, target, render: () => text };
}

const WHOLE_BODY = /^\{\{\{?\s*\.?request\.raw_body\s*\}?\}\}$/;

/**
 * Compiles a text template: mustache with helpers. A tag whose first name means nothing stays in the text.
 *
 * @param options - `target`: `json` and `xml` escape values for JSON and XML, `text` not at all, `auto` (the default)
 * looks whether the template makes JSON; `contentType`: says the target where none is given; `budget`: what the templates of
 * one mock share; `warn`: takes what is said and hardly meant; `noteKey`: takes the keys that the template names
 * @throws invalid when the template does not parse or a helper is called with arguments it cannot take
 */
export function compileTemplate(
  text: string,
  options: TemplateOptions & { budget?: CompileBudget; warn?: Warn; noteKey?: NoteKey } = {},
): Template {
  const parts = parseTemplate(text, options.budget);
  if (parts === undefined) return literalTemplate(text, options);
  const wanted = options.target ?? targetOf(options.contentType);
  const target = wanted === 'auto' ? (makesJson(text, parts) ? 'json' : 'text') : wanted;
  const write = new NodeCompiler(target, options.warn).compile(parts);
  if (options.noteKey !== undefined && maySign(text)) noteKeys(parts, options.noteKey);
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
