import { isLargeJson } from '../validation/json-size.js';
import type { Part, SectionPart } from './parse.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a place is inside a JSON string, after text that begins at a place that is `inside` one or not. */
export function insideStringAfter(text: string, inside: boolean): boolean {
  let within = inside;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) {
      within = !within;
    } else if (unit === BACKSLASH) {
      index += 1;
    }
  }
  return within;
}

const LARGE = /^\s*(?:\{.*\}|\[.*\])\s*$/s;
const SCALAR = /^[ \t\n\r]*(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)[ \t\n\r]*$/;

/** Whether a text without tags is JSON; of one with very many values only the ends are looked at. */
export function isJson(text: string): boolean {
  // The exception of a parser costs more than the rest of compiling a mock, and most texts are none of these.
  if (!/^\s*[{["]/.test(text)) {
    return SCALAR.test(text);
  }
  if (isLargeJson(text)) {
    return LARGE.test(text.slice(0, 100) + text.slice(-100));
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
 * nothing but tags is text: it may render to anything. One of more than a million characters is tried with all sections only.
 */
export function makesJson(source: string, parts: readonly Part[]): boolean {
  const isSimple = source.length > MAX_TRIED || parts.every(({ type }) => type !== 'section');
  const variants = isSimple ? VARIANTS.slice(0, 1) : VARIANTS;
  return variants.some((keep) => {
    const sample = new Sample(keep);
    sample.add(parts);
    return /^\s*[{["]/.test(sample.text) && isJson(sample.text);
  });
}

/** Characters of a template that is tried in more than one way. */
const MAX_TRIED = 1024 * 1024;
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
      } else if (part.type === 'section') {
        this.addSection(part);
      }
    }
  }

  private addSection({ parts, inverted }: SectionPart): void {
    const at = parts.findIndex(({ type }) => type === 'else');
    if (this.keep(inverted)) {
      this.add(at < 0 ? parts : parts.slice(0, at));
    } else if (at >= 0) {
      const rest = parts.slice(at + 1);
      const next = rest.findIndex(({ type }) => type === 'else');
      this.add(next < 0 ? rest : rest.slice(0, next));
    }
  }
}
