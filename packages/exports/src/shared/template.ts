import { isTree } from './trees.js';

/** The tag by which a template has two braces that are none. */
const RAW_BRACES = /\{\{raw "\{\{"\}\}/g;
const DEEPEST = 200;

/** A text of a mock, as other tools have it. */
export interface Written {
  readonly text: string;
  /** Whether it has tags, which other tools take as texts. */
  readonly isTemplate: boolean;
}

/** What a template gives that has no tags but for braces; with others the text as it is. */
export function writtenOf(template: string): Written {
  if (!template.includes('{{')) return { text: template, isTemplate: false };
  return {
    text: template.replaceAll(RAW_BRACES, '{{'),
    isTemplate: template.replaceAll(RAW_BRACES, '').includes('{{'),
  };
}

/** A value whose texts are templates, as other tools have it. */
export function writtenJson(value: unknown): { readonly value: unknown; readonly isTemplate: boolean } {
  let isTemplate = false;
  const read = (one: unknown, depth: number): unknown => {
    if (typeof one === 'string') {
      const written = writtenOf(one);
      isTemplate ||= written.isTemplate;
      return written.text;
    }
    if (depth > DEEPEST) return null;
    if (Array.isArray(one)) return one.map((item) => read(item, depth + 1));
    if (!isTree(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, read(inner, depth + 1)]));
  };
  return { value: read(value, 0), isTemplate };
}
