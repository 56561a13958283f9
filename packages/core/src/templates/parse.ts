import Mustache, { type TemplateSpans } from 'mustache';
import { invalid, messageOf } from '../errors.js';
import { CompileBudget } from '../validation/compile-budget.js';
import { mayCount, noteSequences } from './named-sequences.js';
import { findTags, type Tag } from './scan.js';

/** A piece of a parsed template. */
export type Part = TextPart | ValuePart | SectionPart | ElsePart;

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ValuePart {
  readonly type: 'value';
  /** The tag as it stands in the source. */
  readonly text: string;
  readonly expression: string;
  readonly escaped: boolean;
}

export interface SectionPart {
  readonly type: 'section';
  readonly inverted: boolean;
  readonly expression: string;
  readonly parts: readonly Part[];
  /** The tags that open and close it, as they stand, with the blank space that goes with them on their lines. */
  readonly open: string;
  readonly close: string;
}

/** Stands between the parts of a section and those that are written when the section is not. */
export interface ElsePart {
  readonly type: 'else';
  /** The condition of `{{else if x}}`: its helper and arguments; empty for `{{else}}`. */
  readonly expression: string;
  /** The tag as it stands, with the blank space that goes with it on its line. */
  readonly text: string;
}

const MAX_DEPTH = 100;

/**
 * Parses a template with mustache.
 *
 * @param budget - counts the tags, where several texts are compiled together
 * @returns `undefined` when the source holds no tag and is its own rendering
 * @throws invalid when a tag or a section is not closed, sections are nested deeper than 100, or there are too
 * many tags
 */
export function parseTemplate(source: string, budget = new CompileBudget()): readonly Part[] | undefined {
  if (!source.includes('{{')) {
    return undefined;
  }
  const tags = findTags(source);
  if (tags.length === 0) {
    return undefined;
  }
  budget.addTags(tags.length);
  const skeleton = new Skeleton(source, tags);
  const parts = skeleton.parts(skeleton.parse(), 0, source.length, 0);
  if (mayCount(source)) noteSequences(parts, budget.noteSequence);
  return parts;
}

/**
 * A short stand-in for a template. Mustache makes a token of every character of text and reads tags that are text
 * here; so it is given the tags by number, and of the text between them only what decides which lines hold nothing
 * but tags.
 */
class Skeleton {
  private text = '';
  private readonly names = new Map<string, number>();
  private readonly sourceAt = new Map<number, number>();
  private readonly tagAt = new Map<number, Tag>();

  constructor(
    private readonly source: string,
    tags: readonly Tag[],
  ) {
    let end = 0;
    for (const tag of tags) {
      this.addText(end, tag.start);
      this.addTag(tag);
      end = tag.end;
    }
    this.addText(end, source.length);
  }

  parse(): TemplateSpans {
    try {
      // A writer of its own: the cache of mustache's shared one has no bound.
      return new Mustache.Writer().parse(this.text) as TemplateSpans;
    } catch (error) {
      throw this.explain(messageOf(error));
    }
  }

  /** The parts between two places of the source, which are tags of the same section or the source's ends. */
  parts(tokens: TemplateSpans, from: number, to: number, depth: number): Part[] {
    if (depth > MAX_DEPTH) {
      throw invalid(`template sections are nested deeper than ${MAX_DEPTH} levels`);
    }
    const parts: Part[] = [];
    let before = from;
    let afterTag = depth > 0;
    tokens.forEach((token, index) => {
      const [type, , start, end] = token;
      const following = tokens[index + 1];
      const after = following === undefined ? to : this.place(following[2]);
      if (type === 'text') {
        parts.push({ type: 'text', text: this.source.slice(this.place(start), this.place(end)) });
        before = this.place(end);
        afterTag = false;
        return;
      }
      const tag = this.tagAt.get(start);
      if (tag === undefined) {
        throw invalid('template cannot be parsed');
      }
      const lead = this.source.slice(
        afterTag ? before + this.trailing(before, tag.start).length : before,
        tag.start,
      );
      before = this.addPart(parts, token, tag, lead, after, depth);
      afterTag = true;
    });
    return parts;
  }

  private addPart(
    parts: Part[],
    token: TemplateSpans[number],
    tag: Tag,
    lead: string,
    after: number,
    depth: number,
  ): number {
    const { source } = this;
    const [type, , , , children, closeStart] = token;
    if (type === '!') {
      if (tag.isElse === true) {
        const text = lead + source.slice(tag.start, tag.end) + this.trailing(tag.end, after);
        parts.push({ type: 'else', expression: tag.expression, text });
      }
      return tag.end;
    }
    if (!Array.isArray(children)) {
      const text = source.slice(tag.start, tag.end);
      parts.push({ type: 'value', text, expression: tag.expression, escaped: tag.type !== '&' });
      return tag.end;
    }
    const close = this.tagAt.get(Number(closeStart));
    const closing = close?.start ?? source.length;
    const closed = close?.end ?? source.length;
    const first = children[0];
    const last = children.at(-1);
    const inside = first === undefined ? closing : this.place(first[2]);
    const outside = last === undefined ? tag.end : this.endOf(last);
    const trail = last?.[0] === 'text' ? 0 : this.trailing(outside, closing).length;
    parts.push({
      type: 'section',
      inverted: type === '^',
      expression: tag.expression,
      parts: this.parts(children, tag.end, closing, depth + 1),
      open: lead + source.slice(tag.start, tag.end) + this.trailing(tag.end, inside),
      close: source.slice(outside + trail, closed) + this.trailing(closed, after),
    });
    return closed;
  }

  private endOf(token: TemplateSpans[number]): number {
    const [type, , start, end, children, closeStart] = token;
    if (type === 'text') {
      return this.place(end);
    }
    const tag = this.tagAt.get(Array.isArray(children) ? Number(closeStart) : start);
    return tag?.end ?? this.source.length;
  }

  /** Of the blank space that mustache took out between two tags, what stands on the line of the first. */
  private trailing(from: number, to: number): string {
    const gap = this.source.slice(from, to);
    return gap.slice(0, gap.includes('\n') ? gap.indexOf('\n') + 1 : gap.length);
  }

  private place(skeletonOffset: number): number {
    return this.sourceAt.get(skeletonOffset) ?? this.source.length;
  }

  private addText(from: number, to: number): void {
    const firstEnd = this.source.indexOf('\n', from) + 1;
    if (firstEnd === 0 || firstEnd > to) {
      this.addPiece(from, to);
      return;
    }
    const lastStart = this.source.lastIndexOf('\n', to - 1) + 1;
    this.addPiece(from, firstEnd);
    this.addPiece(firstEnd, lastStart);
    this.addPiece(lastStart, to);
  }

  private addPiece(from: number, to: number): void {
    if (from === to) {
      return;
    }
    const text = this.source.slice(from, to);
    const ending = text.endsWith('\n') ? '\n' : '';
    const body = text.length === ending.length ? '' : /\S/.test(text) ? 'x' : ' ';
    this.sourceAt.set(this.text.length, from);
    this.text += body + ending;
    this.sourceAt.set(this.text.length, to);
  }

  private addTag(tag: Tag): void {
    let id = this.names.get(tag.expression);
    if (id === undefined) {
      id = this.names.size;
      this.names.set(tag.expression, id);
    }
    this.sourceAt.set(this.text.length, tag.start);
    this.tagAt.set(this.text.length, tag);
    // Mustache looks for a mark of the kind of tag through all that is left, so that one is always at hand.
    this.text += `{{${tag.type === '' ? '&' : tag.type}${id}}}`;
    this.sourceAt.set(this.text.length, tag.end);
  }

  private explain(message: string): Error {
    const [, problem, id] = /^(Unclosed|Unopened) section "(\d+)"/.exec(message) ?? [];
    const name = [...this.names.keys()][Number(id)] ?? '';
    if (problem === 'Unclosed') {
      return invalid(`template section {{#${name}}} is not closed; end it with {{/${name}}}`);
    }
    return invalid(
      problem === 'Unopened'
        ? `template tag {{/${name}}} closes a section that was not opened`
        : `template cannot be parsed: ${message}`,
    );
  }
}
