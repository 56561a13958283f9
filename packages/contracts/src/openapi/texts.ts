import type { ImportFile } from '@backlot/core/plugin';
import type { References } from '../schema/references.js';
import { isTree, listOf, textOf, type Tree } from '../shared/values.js';

const DEEPEST = 8;

/** The types that a schema allows, as far as it says so; alternatives count together. */
export function typesOf(
  schema: unknown,
  document: ImportFile,
  references: References,
  depth = 0,
): ReadonlySet<string> {
  const { value, document: where } = references.follow({ value: schema, document });
  const types = new Set<string>();
  if (!isTree(value) || depth > DEEPEST) return types;
  for (const type of [value['type']].flat()) if (typeof type === 'string') types.add(type);
  if (types.size > 0) return types;
  for (const word of ['allOf', 'anyOf', 'oneOf'])
    for (const part of listOf(value[word]).slice(0, 50))
      for (const type of typesOf(part, where, references, depth + 1)) types.add(type);
  return types;
}

/** A text of a url, a header or a form as the value that its schema means. */
export function valueOfText(text: string, types: ReadonlySet<string>): unknown {
  if (types.has('string')) return text;
  if (types.has('integer') || types.has('number')) {
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  }
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('null') && (text === '' || text === 'null')) return null;
  return text;
}

/** How a parameter with several values, or with members, is written. */
export interface Writing {
  readonly style: string;
  readonly explode: boolean;
}

/** How a parameter is written, with what counts where it does not say so. */
export function writingOf(parameter: Tree, place: string): Writing {
  const format = textOf(parameter['collectionFormat']);
  if (format === 'multi') return { style: 'form', explode: true };
  if (format !== undefined) return { style: SWAGGER[format] ?? 'form', explode: false };
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple';
  const style = textOf(parameter['style']) ?? usual;
  // Swagger has no explode, and its lists are written with commas.
  const isSwagger = parameter['schema'] === undefined && parameter['content'] === undefined;
  const explode = parameter['explode'];
  return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' && !isSwagger };
}

const SWAGGER: Readonly<Record<string, string>> = {
  csv: 'form',
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
  tsv: 'tabDelimited',
};

const SEPARATORS: Readonly<Record<string, string | RegExp>> = {
  spaceDelimited: /%20| |\+/,
  pipeDelimited: '|',
  tabDelimited: '\t',
};

/** The texts of a list that was written as one. */
export function splitText(text: string, { style, explode }: Writing, name: string): readonly string[] {
  if (style === 'label') return text.replace(/^\./, '').split(explode ? '.' : ',');
  if (style === 'matrix')
    return text
      .split(explode ? ';' : ',')
      .filter((part) => part !== '')
      .map((part) => part.replace(`;${name}=`, '').replace(`${name}=`, ''));
  return text === '' ? [] : text.split(SEPARATORS[style] ?? ',');
}

/** The members of an object that was written as a list of names and values, or of `name=value`. */
export function membersOfTexts(
  texts: readonly string[],
  { explode }: Writing,
): readonly (readonly [string, string])[] {
  if (explode)
    return texts.map((text) => {
      const at = text.indexOf('=');
      return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    });
  return Array.from({ length: Math.floor(texts.length / 2) }, (_, index) => [
    texts[2 * index] ?? '',
    texts[2 * index + 1] ?? '',
  ]);
}
