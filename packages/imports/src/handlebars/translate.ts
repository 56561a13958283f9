import type { ImportNotes } from '@backlot/core/plugin';
import { parseTag, type Call, type Expression } from './parse-tag.js';

/** What a tool with Handlebars has that Handlebars has not. */
export interface Dialect {
  /** Our path for one of the tool; `undefined` when there is none. */
  path(path: string): string | undefined;
  /**
   * Our expression for a helper of the tool, without braces.
   *
   * @param value - writes an argument as ours; `undefined` for one that has no counterpart
   */
  call(call: Call, value: (expression: Expression | undefined) => string | undefined): string | undefined;
}

interface Block {
  readonly name: string;
  /** What closes it; `undefined` for a block that stays as it is written. */
  readonly close: string | undefined;
  /** The name of the element inside of a loop. */
  readonly item: string | undefined;
}

const CONDITIONS: Readonly<Record<string, string>> = {
  eq: 'eq',
  neq: 'ne',
  ne: 'ne',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
  and: 'and',
  or: 'or',
  not: 'not',
};

/** Sections of ours that mean the same as a block helper. */
const SECTIONS: ReadonlySet<string> = new Set(['if', 'unless', ...Object.keys(CONDITIONS)]);
const MOST_TAGS = 5000;

/** A text with the templates of another tool as one with ours. What has no counterpart is sent as it is written. */
export function translateTemplate(text: string, dialect: Dialect, notes: ImportNotes, place: string): string {
  if (!text.includes('{{')) return text;
  const blocks: Block[] = [];
  let tags = 0;
  const asWritten = (tag: string): string => {
    notes.refused(place, `the template ${tag.slice(0, 100)} has no counterpart; it is sent as it is written`);
    return tag.replaceAll('{{', '{{raw "{{"}}');
  };
  const translated = text.replaceAll(
    /\{\{\{([^{}]{0,5000})\}\}\}|\{\{([^{}]{0,5000})\}\}/g,
    (all, plain?: string, escaped?: string) => {
      tags += 1;
      const tag = (plain ?? escaped ?? '').replaceAll(/^~|~$/g, '').trim();
      if (tags > MOST_TAGS) return asWritten(all);
      if (tag.startsWith('!')) return '';
      if (tag.startsWith('#')) return openBlock(tag.slice(1), all);
      if (tag.startsWith('/')) {
        const block = blocks.pop();
        return block?.close === undefined ? all.replaceAll('{{', '{{raw "{{"}}') : `{{/${block.close}}}`;
      }
      if (tag === 'else' || tag === '^')
        return blocks.at(-1)?.close === undefined ? asWritten(all) : '{{else}}';
      const call = parseTag(tag);
      const ours = call === undefined ? undefined : expressionOf(call, dialect, blocks);
      return ours === undefined ? asWritten(all) : plain === undefined ? `{{${ours}}}` : `{{{${ours}}}}`;
    },
  );
  return translated;

  function openBlock(tag: string, all: string): string {
    const call = parseTag(tag);
    const opened = call === undefined ? undefined : sectionOf(call, dialect, blocks);
    blocks.push({
      name: call?.name ?? '',
      close: opened?.close,
      item: call?.blockNames[0],
    });
    return opened === undefined ? asWritten(all) : `{{#${opened.open}}}`;
  }
}

function sectionOf(
  call: Call,
  dialect: Dialect,
  blocks: readonly Block[],
): { open: string; close: string } | undefined {
  const value = (expression: Expression | undefined): string | undefined =>
    valueOf(expression, dialect, blocks);
  const [first] = call.values;
  if (call.name === 'each' || call.name === 'with') {
    const list = first?.type === 'path' ? value(first) : undefined;
    return list === undefined ? undefined : { open: list, close: list };
  }
  if (!SECTIONS.has(call.name)) return undefined;
  const name = CONDITIONS[call.name] ?? call.name;
  const values = call.values.map(value);
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return { open: `${name} ${values.join(' ')}`, close: name };
}

function expressionOf(call: Call, dialect: Dialect, blocks: readonly Block[]): string | undefined {
  const value = (expression: Expression | undefined): string | undefined =>
    valueOf(expression, dialect, blocks);
  if (call.values.length === 0 && call.named.size === 0) {
    return valueOf({ type: 'path', path: call.name }, dialect, blocks) ?? dialect.call(call, value);
  }
  const own = dialect.call(call, value);
  if (own !== undefined) return own;
  const condition = Object.hasOwn(CONDITIONS, call.name) ? CONDITIONS[call.name] : undefined;
  const values = call.values.map(value);
  return condition === undefined || values.includes(undefined)
    ? undefined
    : `${condition} ${values.join(' ')}`;
}

function valueOf(
  expression: Expression | undefined,
  dialect: Dialect,
  blocks: readonly Block[],
): string | undefined {
  if (expression === undefined) return undefined;
  switch (expression.type) {
    case 'number':
      return String(expression.number);
    case 'text':
      return quote(expression.text);
    case 'call': {
      const inner = expressionOf(expression, dialect, blocks);
      if (inner === undefined) return undefined;
      // A helper of theirs may be a path of ours, which stands without parentheses.
      return /^[\w$@-]+(\.[\w$@-]+)+$/.test(inner) ? inner : `(${inner})`;
    }
    case 'path':
      return insidePath(expression.path, blocks) ?? dialect.path(expression.path);
  }
}

/** A path that begins with the element of a loop. */
function insidePath(path: string, blocks: readonly Block[]): string | undefined {
  if (!blocks.some(({ name, close }) => name === 'each' && close !== undefined)) {
    return path === 'true' || path === 'false' || path === 'null' ? path : undefined;
  }
  if (path === 'this' || path === '.') return '.';
  if (/^@(index|first|last)$/.test(path)) return path;
  const inner = path.startsWith('this.') ? path.slice(5) : undefined;
  if (inner !== undefined) return plainPath(inner);
  const item = blocks.findLast(
    (block) => block.item !== undefined && (path === block.item || path.startsWith(`${block.item}.`)),
  )?.item;
  if (item === undefined) return undefined;
  return path === item ? '.' : plainPath(path.slice(item.length + 1));
}

/** A path of Handlebars as one of ours: brackets go, and what is no name is none. */
export function plainPath(path: string): string | undefined {
  const plain = path.replaceAll(/\.?\[([^\]]*)\]/g, '.$1').replace(/^\./, '');
  return /^[\w$@-]+(\.[\w$@-]+)*$/.test(plain) ? plain : undefined;
}

/** A text as an argument. */
export function quote(text: string): string | undefined {
  if (!text.includes('"')) return /[\\{}]/.test(text) ? undefined : `"${text}"`;
  return text.includes("'") || /[\\{}]/.test(text) ? undefined : `'${text}'`;
}

/** A layout of Java's dates as one of Go's, as our `date` takes it; `undefined` when it has parts that are not known. */
export function goLayout(layout: string): string | undefined {
  const parts: readonly [RegExp, string][] = [
    [/^yyyy/i, '2006'],
    [/^yy/, '06'],
    [/^MMMM/, 'January'],
    [/^MMM/, 'Jan'],
    [/^MM/, '01'],
    [/^dd/i, '02'],
    [/^d/, '2'],
    [/^HH/, '15'],
    [/^hh/, '03'],
    [/^mm/, '04'],
    [/^ss/, '05'],
    [/^SSS/, '000'],
    [/^EEEE/, 'Monday'],
    [/^EEE?/, 'Mon'],
    [/^a/, 'PM'],
    [/^X{3}/, 'Z07:00'],
    [/^Z/, '-0700'],
    [/^z/, 'MST'],
  ];
  let go = '';
  for (let rest = layout; rest !== '';) {
    const quoted = /^'([^']*)'/.exec(rest);
    if (quoted !== null) {
      go += quoted[1] === '' ? "'" : (quoted[1] ?? '');
      rest = rest.slice(quoted[0].length);
      continue;
    }
    const found = parts.find(([part]) => part.test(rest));
    if (found === undefined) {
      if (/^[A-Za-z]/.test(rest)) return undefined;
      go += rest.charAt(0);
      rest = rest.slice(1);
    } else {
      go += found[1];
      rest = rest.slice((found[0].exec(rest)?.[0] ?? ' ').length);
    }
  }
  return go;
}
