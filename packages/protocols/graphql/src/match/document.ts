import type { CompileTools, Pattern, PatternSource } from '@backlot/core/plugin';
import { shortestDocument } from '../document/shortest-document.js';

/** Compiles the condition on the document: a text that is no pattern is a document in any layout. */
export function compileDocument(source: PatternSource | undefined, tools: CompileTools): Pattern {
  const at = '/document';
  if (typeof source !== 'string' || source === '' || /\*|^re:/.test(source)) return tools.pattern(source, at);
  const equals = tools.attempt(at, source, () => shortestDocument(source));
  return tools.pattern({ equals }, at);
}
