import type { ExportNotes } from '@backlot/core/plugin';
import { escapeRegex, type Match } from '../shared/match.js';
import { withoutAbsent, type Tree } from '../shared/trees.js';

/** A pattern as a matcher of WireMock; `undefined` where none is needed, or there is none. */
export function matcherOf(match: Match, notes: ExportNotes, id: string): Tree | undefined {
  const list = (of: readonly Match[]): readonly Tree[] =>
    of.map((one) => matcherOf(one, notes, id)).filter((one) => one !== undefined);
  switch (match.is) {
    case 'anything':
      return undefined;
    case 'present':
      return { matches: '(?s).*' };
    case 'absent':
      return { absent: true };
    case 'equals':
      return { equalTo: match.text };
    case 'contains':
      return { contains: match.text };
    case 'prefix':
      return { matches: `(?s)${escapeRegex(match.text)}.*` };
    case 'suffix':
      return { matches: `(?s).*${escapeRegex(match.text)}` };
    case 'regex':
      return { matches: wholeRegex(match.text) };
    case 'json':
      return withoutAbsent({
        equalToJson: match.value,
        ignoreArrayOrder: match.ignoresOrder ? true : undefined,
        ignoreExtraElements: match.isPart ? true : undefined,
      });
    case 'json_path':
    case 'xpath': {
      const name = match.is === 'json_path' ? 'matchesJsonPath' : 'matchesXPath';
      const inner = match.inner && matcherOf(match.inner, notes, id);
      return { [name]: inner === undefined ? match.path : { expression: match.path, ...inner } };
    }
    case 'json_schema':
      return { matchesJsonSchema: match.schema };
    case 'all':
    case 'any': {
      const all = list(match.of);
      return all.length === 0
        ? undefined
        : all.length === 1
          ? all[0]
          : { [match.is === 'all' ? 'and' : 'or']: all };
    }
    case 'not': {
      const inner = matcherOf(match.of, notes, id);
      return inner === undefined ? undefined : { not: inner };
    }
    case 'other':
      notes.approximated(id, `the pattern "${match.field}" has no counterpart and is left out`);
      return undefined;
  }
}

/** An expression that is looked for anywhere as one that takes the whole text, as those of WireMock do. */
export function wholeRegex(regex: string): string {
  const whole = /^\^(?:\(\?:([^]*)\)|([^]*))\$$/.exec(regex);
  if (whole !== null) {
    const inner = whole[1] ?? whole[2] ?? '';
    if (isOneGroup(inner) && !hasAlternatives(whole[1] === undefined ? inner : '')) return inner;
  }
  return `(?s).*(?:${regex}).*`;
}

/** Whether the brackets of an expression close each other, so that it can stand without those around it. */
function isOneGroup(regex: string): boolean {
  let depth = 0;
  for (const letter of regex.replaceAll(/\\[^]/g, '').replaceAll(/\[[^\]]*\]/g, '')) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function hasAlternatives(regex: string): boolean {
  return regex.replaceAll(/\\[^]/g, '').includes('|');
}
