import type { Part } from './parse.js';

/** Whether a place is inside a JSON string, after text that begins at a place that is `inside` one or not. */
export function insideStringAfter(text: string, inside: boolean): boolean {
  const marks = /\\[\s\S]?|"/g;
  let within = inside;
  for (const [mark] of text.matchAll(marks)) {
    if (mark === '"') {
      within = !within;
    }
  }
  return within;
}

const SCALAR = /^[ \t\n\r]*(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)[ \t\n\r]*$/;

/** Whether a text without tags is JSON. */
export function isJson(text: string): boolean {
  // The exception of a parser costs more than the rest of compiling a mock, and most texts are none of these.
  if (!/^\s*[{["]/.test(text)) {
    return SCALAR.test(text);
  }
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a template makes JSON: whether it is JSON when each tag is replaced by `0`, or inside a string by
 * nothing. Sections are tried as if passed once, without the inverted ones, and left out. A template that is
 * nothing but tags is text: it may render to anything.
 */
export function makesJson(parts: readonly Part[]): boolean {
  return VARIANTS.some((keep) => {
    const sample = new Sample(keep);
    sample.add(parts);
    return /^\s*[{["]/.test(sample.text) && isJson(sample.text);
  });
}

const VARIANTS: readonly ((inverted: boolean) => boolean)[] = [
  () => true,
  (inverted) => !inverted,
  (inverted) => inverted,
  () => false,
];

class Sample {
  text = '';
  private inside = false;

  constructor(private readonly keep: (inverted: boolean) => boolean) {}

  add(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.type === 'text') {
        this.text += part.text;
        this.inside = insideStringAfter(part.text, this.inside);
      } else if (part.type === 'value') {
        this.text += this.inside ? '' : '0';
      } else if (this.keep(part.inverted)) {
        this.add(part.parts);
      }
    }
  }
}
