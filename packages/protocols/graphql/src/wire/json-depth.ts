import { endOfJsonString } from '@backlot/core/plugin';

/** How deep lists and objects in what a client sends may be nested. */
const MAX_DEPTH = 200;

/**
 * Whether a JSON text is nested so deep that reading it again, to compare or to render a part of it, could use up the
 * stack. Looks at brackets alone, so that it takes any text.
 */
export function isNestedTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 34) {
      index = endOfJsonString(text, index);
    } else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 93 || code === 125) {
      depth -= 1;
    }
  }
  return false;
}
