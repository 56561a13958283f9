import { stringify } from 'yaml';

/** Numbers that are the same in each run. */
function* numbers(): Generator<number, never> {
  for (let state = 11; ; state = (state * 1_103_515_245 + 12_345) % 2 ** 31) yield state >> 8;
}

const chance = numbers();
export const below = (limit: number): number => chance.next().value % limit;
export const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

export const TEXTS = [
  'plain',
  'two words',
  '',
  ' ',
  'true',
  'null',
  'Null',
  '~',
  '5',
  '1.5',
  '1.0',
  '0x1f',
  '1e3',
  '.inf',
  'a: b',
  'a:',
  'a #b',
  '# c',
  '- x',
  '-',
  '-x',
  '? y',
  '[a]',
  '{a: b}',
  "it's",
  'a:b',
  'a (b)',
  '(a)',
  'a?b&c=d;e',
  'a|b',
  'a, b',
  '{{a.b}}',
  '"q"',
  'back\\slash',
  'two\nlines',
  'ends\n',
  '\nbegins',
  ' lead',
  'trail ',
  'é😀',
  'https://a.test/b?c=d&e',
  '*star',
  '&and',
  '!bang',
  '%per',
  '@at',
  '`tick',
  '|',
  '>',
  '<<',
  '=',
  'no',
  'yes',
  '2020-01-01',
  'a,b',
  'x'.repeat(100),
  'word '.repeat(30),
  'a  \nb',
  '${TEXT}',
  'x ${NUMBER}',
  '${NUMBER}',
  '${NOWHERE}',
  '${NOWHERE:-5}',
  '$${TEXT}',
  '${TRUE} ${GONE}',
  'a\n\nb',
  '\ttab',
];
const KEYS = [
  'a',
  'b_c',
  'd-e',
  'x.y',
  'X-Header',
  'null',
  'true',
  '5',
  'two words',
  '',
  '<<',
  '__proto__',
  'a/b',
  'a:b',
  'a: b',
  '/a',
  '.a',
  '.inf',
  'no',
  '"q"',
];

export function anyValue(depth: number): unknown {
  const kind = below(depth > 0 ? 9 : 6);
  if (kind < 3) return pick(TEXTS);
  if (kind === 3) return pick([0, 5, -3, 1.5, 1e21, 12_345]);
  if (kind === 4) return pick([true, false, null]);
  if (kind === 5) return pick([[], {}]);
  if (kind === 6) return Array.from({ length: 1 + below(4) }, () => anyValue(depth - 1));
  return Object.fromEntries(
    Array.from({ length: 1 + below(4) }, () => [
      below(3) === 0 ? pick(KEYS) : `k${below(50)}`,
      anyValue(depth - 1),
    ]),
  );
}

export function anyText(): string {
  const value = { top: anyValue(4), more: anyValue(3) };
  return stringify(value, {
    indent: pick([2, 4]),
    indentSeq: below(2) === 0,
    lineWidth: pick([0, 80]),
    collectionStyle: pick(['any', 'any', 'flow'] as const),
    defaultStringType: pick(['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'] as const),
  });
}
