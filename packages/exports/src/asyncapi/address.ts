import { matchOf } from '../shared/match.js';
import { textOf, isTree } from '../shared/trees.js';
import type { ReaderTools } from './document.js';

/** How a kind writes what may be anything in an address. */
export interface Wildcards {
  /** Stands for one part. */
  readonly one?: string;
  /** Stands for all that follows: no parameter can. */
  readonly rest?: string;
}

/** The address that a pattern of a mock is; `undefined`, with a note, for one that is none. */
export function addressOf(source: unknown, { one, rest }: Wildcards, tools: ReaderTools): string | undefined {
  const text = isTree(source) ? undefined : textOf(source);
  if (text === undefined || text.startsWith('re:')) {
    const match = matchOf(source ?? '');
    if (match.is === 'equals') return match.text;
    tools.refused('an address that is a pattern is none that a document can have; the mock is left out');
    return undefined;
  }
  if (rest !== undefined && text.includes(rest)) {
    tools.refused(`an address with "${rest}" is none that a document can have; the mock is left out`);
    return undefined;
  }
  if (one === undefined || !text.includes(one)) return text;
  tools.approximated(`"${one}" in an address is written as a parameter`);
  let number = 0;
  return text.replaceAll(one, () => `{any${(number += 1)}}`);
}

/** An address of an answer, in which values of the request are parameters; `undefined` for one that the message says. */
export function answerAddress(template: unknown): string | undefined {
  const text = textOf(template)?.replaceAll(/\{\{request\.params\.([\w-]+)\}\}/g, '{$1}');
  return text === undefined || text === '' || text.includes('{{') ? undefined : text;
}

/** Where in a message an answer goes, as a document says it. */
export function locationOf(template: unknown): string | undefined {
  const [, part, steps] =
    /^\{\{request\.(headers|body)\.([\w-]+(?:\.[\w-]+)*)\}\}$/.exec(textOf(template) ?? '') ?? [];
  if (steps === undefined) return undefined;
  return `$message.${part === 'headers' ? 'header' : 'payload'}#/${steps.replaceAll('.', '/')}`;
}
