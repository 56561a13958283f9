import { invalid } from '../errors.js';
import { firstWord, meansSomething, staysText } from './expression.js';
import { matchAt, QUOTED } from './words.js';

/** A tag of a template: a value, an unescaped value, the start or end of a section, or a comment. */
export interface Tag {
  readonly type: '' | '&' | '#' | '^' | '/' | '!';
  /** Where it stands in the source, braces included. */
  readonly start: number;
  readonly end: number;
  readonly expression: string;
  /** Whether it is an `{{else}}`, which begins what is written when the section around it is not. */
  readonly isElse?: true;
}

/** A section that is open at a place. */
interface Open {
  readonly word: string;
  readonly expression: string;
  readonly literal: boolean;
}

/** Stands between two braces but is text: partials, changed delimiters, and what can never mean anything here. */
interface Literal {
  readonly type: 'literal';
  readonly end: number;
}

/** How often two braces may open in one template, tags or not. */
const MAX_OPENINGS = 20_000;
const STOP = /\}\}|\{\{|(?<=\s)(?=\\?["'`])/g;
const TYPE = /\s*([#^/!&=>]?)/y;

/**
 * Finds the tags of a template. What mustache would take for a tag but this product keeps as text is left out:
 * `{{=..=}}`, `{{> x}}`, and tags such as `{{#if x}}` with the tag that closes them. Braces inside a quoted argument
 * do not end a tag.
 *
 * @throws invalid when a tag is never closed, or `{{` stands more than 20,000 times
 */
export function findTags(source: string): Tag[] {
  const tags: Tag[] = [];
  const open: Open[] = [];
  const closes = new NextClose(source);
  let at = source.indexOf('{{');
  for (let openings = 0; at >= 0; openings += 1) {
    if (openings === MAX_OPENINGS) {
      throw invalid(`template opens more than ${MAX_OPENINGS} tags with {{; split it up`);
    }
    const tag = readTag(source, at, closes);
    const meant = tag.type === 'literal' ? undefined : meaningOf(tag, open);
    if (meant !== undefined) {
      tags.push(meant);
    }
    at = source.indexOf('{{', tag.end);
  }
  return tags;
}

/**
 * A tag as mustache is to read it: `{{/if}}` closes `{{#if x}}` with the very name it was opened with, and `{{else}}` is
 * shown as a comment, which may have a line of its own; `undefined` for what stays text.
 */
function meaningOf(tag: Tag, open: Open[]): Tag | undefined {
  if (tag.type === '!') {
    return tag;
  }
  const { first: word, rest } = firstWord(tag.expression);
  const last = open.at(-1);
  if (tag.type === '/') {
    if (last === undefined || (last.literal && last.word !== word)) {
      return tag;
    }
    open.pop();
    if (last.literal) {
      return undefined;
    }
    return rest === '' && word === last.word ? { ...tag, expression: last.expression } : tag;
  }
  if (word === 'else' && tag.type === '' && last !== undefined) {
    return last.literal ? undefined : { ...tag, type: '!', expression: rest, isElse: true };
  }
  const literal = staysText(tag.expression);
  if ((tag.type === '#' || tag.type === '^') && tag.expression !== '') {
    open.push({ word, expression: tag.expression, literal });
  }
  return literal ? undefined : tag;
}

/** Finds closing braces for places that only move on, so that a text is searched once however many tags it opens. */
class NextClose {
  private searched = -1;
  private found = -1;

  constructor(private readonly source: string) {}

  /** Where the first closing braces after a place begin; -1 when there are none. */
  after(place: number): number {
    if (this.searched < 0 || (this.found >= 0 && this.found < place)) {
      this.found = this.source.indexOf('}}', place);
      this.searched = place;
    }
    return this.found;
  }
}

function readTag(source: string, start: number, closes: NextClose): Tag | Literal {
  const triple = source.charAt(start + 2) === '{';
  const typed = triple ? null : matchAt(TYPE, source, start + 2);
  const type = triple ? '&' : (typed?.[1] ?? '');
  const from = triple ? start + 3 : start + 2 + (typed?.[0].length ?? 0);
  const quotable = type !== '!' && type !== '=' && type !== '>';
  const close = quotable ? findClose(source, from, closes) : closes.after(from);
  if (close === INNER && !meansSomething(firstWord(source.slice(from, from + 200).trim()).first)) {
    return { type: 'literal', end: from };
  }
  if (close < 0) {
    const line = source.slice(0, start).split(/\r?\n/).length;
    throw invalid(
      `template tag ${JSON.stringify(source.slice(start, start + 40))} in line ${line} is never closed; end it with }}`,
    );
  }
  if (triple && source.charAt(close + 2) !== '}') {
    // A brace of the text before an ordinary tag.
    return { type: 'literal', end: start + 1 };
  }
  const end = close + (triple ? 3 : 2);
  if (type === '=' || type === '>') {
    return { type: 'literal', end };
  }
  return { type: type as Tag['type'], start, end, expression: source.slice(from, close).trim() };
}

const INNER = -2;

/** Where a tag's closing braces begin; {@link INNER} when another tag begins first, -1 when there are none. */
function findClose(source: string, from: number, closes: NextClose): number {
  STOP.lastIndex = from;
  for (let found = STOP.exec(source); found !== null; found = STOP.exec(source)) {
    const at = found.index;
    if (found[0] === '}}') {
      return at;
    }
    if (found[0] === '{{') {
      // Perhaps a quote that was no quote hid the closing braces.
      const plain = closes.after(from);
      return plain >= 0 && plain < at ? plain : INNER;
    }
    const quoted = matchAt(QUOTED, source, at);
    STOP.lastIndex = at + (quoted?.[0].length ?? 1);
  }
  return closes.after(from);
}
