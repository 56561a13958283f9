import type { WildcardSyntax } from '@backlot/kit/wildcards';

/** Topic names and filters (MQTT 5, section 4.7). */
export const TOPIC_SYNTAX: WildcardSyntax = {
  separator: '/',
  one: '+',
  many: '#',
  manyMatchesParent: true,
  wholeWords: true,
  hiddenPrefix: '$',
};

/** Most levels of a topic name or filter. */
const MAX_LEVELS = 100;
/** Most bytes of one. */
const MAX_BYTES = 65_535;

/** Why a text is no topic name, or `undefined` when it is one. */
export function topicProblem(topic: string): string | undefined {
  if (topic.includes('+') || topic.includes('#')) return 'a topic name may not hold + or #';
  return commonProblem(topic);
}

/** Why a text is no topic filter, or `undefined` when it is one. */
export function filterProblem(filter: string): string | undefined {
  const common = commonProblem(filter);
  if (common !== undefined) return common;
  if (!filter.includes('+') && !filter.includes('#')) return undefined;
  const words = filter.split('/');
  for (const [index, word] of words.entries()) {
    if (word.length > 1 && (word.includes('+') || word.includes('#')))
      return '+ and # must stand alone in their level';
    if (word === '#' && index < words.length - 1) return '# may stand only at the end';
  }
  return undefined;
}

/** Whether a filter that is one takes a topic. */
export function filterTakes(filter: string, topic: string): boolean {
  if (filter === topic) return true;
  const words = filter.split('/');
  const levels = topic.split('/');
  if (topic.startsWith('$') && (words[0] === '+' || words[0] === '#')) return false;
  for (const [index, word] of words.entries()) {
    if (word === '#') return true;
    const level = levels[index];
    if (level === undefined || (word !== '+' && word !== level)) return false;
  }
  return words.length === levels.length;
}

function commonProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.includes('\0')) return 'it holds U+0000';
  if (text.length > MAX_BYTES / 3 && Buffer.byteLength(text) > MAX_BYTES)
    return `it is longer than ${MAX_BYTES} bytes`;
  let levels = 1;
  for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) {
    levels += 1;
    if (levels > MAX_LEVELS) return `it has more than ${MAX_LEVELS} levels`;
  }
  return undefined;
}
