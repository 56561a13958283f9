/**
 * What a terminal acts on, or what makes a line look other than it is: the control characters (C0, DEL, C1), the line
 * and paragraph separators, and the marks and overrides of direction (Unicode, UAX #9, section 2).
 */
const ACTIVE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** The same without what parts lines and columns. */
const ACTIVE_IN_LINES =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text on one line; whatever a terminal would act on is shown as it is written in JSON, as in `\u001b`. */
export function visible(text: string): string {
  return text.replaceAll(ACTIVE, escape);
}

/** The same of a text that may have several lines. */
export function visibleLines(text: string): string {
  return text.replaceAll(ACTIVE_IN_LINES, escape);
}

/** The same value as JSON, without what {@link visible} hides: JSON itself leaves C1 and the overrides as they are. */
export function visibleJson(json: string): string {
  return json.replaceAll(ACTIVE_IN_LINES, toHex);
}

function escape(character: string): string {
  const escaped = JSON.stringify(character).slice(1, -1);
  return escaped === character ? toHex(character) : escaped;
}

function toHex(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A text of at most so many characters. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`;
}
