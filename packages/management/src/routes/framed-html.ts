import type { PiecedText } from '@backlot/core/plugin';

/** Browsers connect to where a link leads as soon as it is pointed at, although it cannot be followed. */
const NO_LINKS = '<style>a, area { pointer-events: none !important }</style>';

/**
 * Documents within the document, which the policy does not show: Chromium connects to where they are before it asks the policy.
 * Only a tag that is written so begins one, so that nothing has to be parsed.
 */
const INNER = /<(\/?)(?=(?:i?frame|frameset|object|embed|portal|fencedframe)\b)/gi;
/** So many characters of a tag are enough to tell what it begins. */
const LONGEST_TAG = 16;
const DOCTYPE = /^\s*(?:<!doctype[^>]*>)?/i;
/** So many characters of a text are gone through at once. */
const STEP = 64 * 1024;

/** What somebody has sent, as HTML for a frame: without links to follow and without documents within it. A piece at a time. */
export function* framedPieces(html: PiecedText): Generator<string, void> {
  let held = '';
  let isFirst = true;
  for (const piece of html.pieces()) {
    for (let at = 0; at < piece.length; at += STEP) {
      held += piece.slice(at, at + STEP);
      if (isFirst && isBegun(held)) continue;
      if (isFirst) held = yield* beginning(held);
      isFirst = false;
      // A tag that is cut here is looked at with what follows.
      const tag = held.lastIndexOf('<');
      const end = tag >= 0 && held.length - tag < LONGEST_TAG ? tag : held.length;
      yield held.slice(0, end).replaceAll(INNER, '<$1x-');
      held = held.slice(end);
    }
  }
  if (isFirst) held = yield* beginning(held);
  yield held.replaceAll(INNER, '<$1x-');
}

/** Whether more has to be seen to tell where the declaration of the type ends; a long one is none. */
function isBegun(html: string): boolean {
  if (html.length > STEP) return false;
  const start = html.trimStart();
  return start.length < LONGEST_TAG || (/^<!doctype/i.test(start) && !start.includes('>'));
}

/** @returns what stands behind the declaration of the type */
function* beginning(html: string): Generator<string, string> {
  const [doctype = ''] = DOCTYPE.exec(html) ?? [];
  yield doctype + NO_LINKS;
  return html.slice(doctype.length);
}
