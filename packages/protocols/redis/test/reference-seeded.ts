import { xorshift32, type SeededNumbers } from '@backlot/conformance';

const LINES = 400;

type Make = (number: SeededNumbers) => string;

/** A list of some hundred elements, so that it has many pages, of which many are the same. */
const ON_LISTS: readonly Make[] = [
  (number) => `RPUSH l ${words(number, 'e', 12, 40)}`,
  (number) => `LPUSH l ${words(number, 'e', 12, 40)}`,
  (number) => `LINSERT l BEFORE e${number(40)} n${number(9)}`,
  (number) => `LINSERT l AFTER e${number(40)} n${number(9)}`,
  (number) => `LINSERT l BEFORE nobody n${number(9)}`,
  (number) => `LREM l ${number(7) - 3} e${number(40)}`,
  (number) => `LREM l ${number(5) - 2} n${number(9)}`,
  (number) => `LINDEX l ${number(600) - 300}`,
  (number) => `LSET l ${number(500) - 250} s${number(9)}`,
  (number) => `LRANGE l ${number(600) - 300} ${number(600) - 300}`,
  (number) => `LPOS l e${number(40)} RANK ${1 + number(4)} COUNT ${number(4)} MAXLEN ${number(300)}`,
  (number) => `LPOS l e${number(40)} RANK -${1 + number(4)} COUNT ${number(4)} MAXLEN ${number(300)}`,
  (number) => `LPOP l ${number(8)}`,
  (number) => `RPOP l ${number(8)}`,
  (number) => (number(6) === 0 ? `LTRIM l ${number(40)} -${number(40)}` : 'LLEN l'),
  () => 'LMOVE l l LEFT RIGHT',
];

const ON_SORTED_SETS: readonly Make[] = [
  (number) => `ZADD z ${scored(number, 10)}`,
  (number) => `ZADD z ${['GT', 'LT', 'XX', 'NX'][number(4)]} CH ${scored(number, 6)}`,
  (number) => `ZINCRBY z ${number(40) - 20} m${number(300)}`,
  (number) => `ZREM z ${words(number, 'm', 4, 300)}`,
  (number) => `ZRANK z m${number(300)}`,
  (number) => `ZREVRANK z m${number(300)}`,
  (number) => `ZRANGE z ${number(400) - 200} ${number(400) - 200} WITHSCORES`,
  (number) => `ZRANGE z ${number(200)} ${number(300)} REV`,
  (number) => `ZRANGEBYSCORE z ${bound(number)} ${bound(number)} LIMIT ${number(20)} ${number(30) - 1}`,
  (number) =>
    `ZREVRANGEBYSCORE z ${bound(number)} ${bound(number)} WITHSCORES LIMIT ${number(20)} ${number(30) - 1}`,
  (number) => `ZCOUNT z ${bound(number)} ${bound(number)}`,
  (number) => (number(4) === 0 ? `ZREMRANGEBYRANK z ${number(200)} ${number(200)}` : 'ZCARD z'),
  (number) => (number(4) === 0 ? `ZREMRANGEBYSCORE z ${bound(number)} ${bound(number)}` : 'ZCARD z'),
  (number) => `ZPOPMIN z ${number(4)}`,
  (number) => `ZPOPMAX z ${number(4)}`,
  (number) => `ZRANGESTORE y z ${number(200)} ${number(300)}`,
  () => 'ZRANGE y 0 -1 WITHSCORES',
];

/** Members of one score: their order is that of their bytes. */
const ON_LEXICAL_SETS: readonly Make[] = [
  (number) => `ZADD z ${Array.from({ length: 8 }, () => `0 ${name(number)}`).join(' ')}`,
  (number) => `ZRANGEBYLEX z ${edge(number)} ${edge(number)} LIMIT ${number(10)} ${number(20) - 1}`,
  (number) => `ZREVRANGEBYLEX z ${edge(number)} ${edge(number)}`,
  (number) => `ZLEXCOUNT z ${edge(number)} ${edge(number)}`,
  (number) => (number(6) === 0 ? `ZREMRANGEBYLEX z ${edge(number)} ${edge(number)}` : 'ZCARD z'),
  (number) => `ZRANGE z ${edge(number)} ${edge(number)} BYLEX REV LIMIT ${number(5)} 10`,
];

/** Commands by chance, the same in every run. */
export const SEEDED_SCRIPTS: readonly string[] = [
  write(1, ON_LISTS),
  write(2, ON_LISTS),
  write(3, ON_SORTED_SETS),
  write(4, ON_SORTED_SETS),
  write(5, ON_LEXICAL_SETS),
];

function write(seed: number, makes: readonly Make[]): string {
  const number = xorshift32(seed);
  return Array.from({ length: LINES }, () => makes[number(makes.length)]?.(number) ?? '').join('\n');
}

function words(number: SeededNumbers, letter: string, most: number, kinds: number): string {
  return Array.from({ length: 1 + number(most) }, () => `${letter}${number(kinds)}`).join(' ');
}

function scored(number: SeededNumbers, most: number): string {
  return Array.from({ length: 1 + number(most) }, () => `${number(200) - 100} m${number(300)}`).join(' ');
}

function bound(number: SeededNumbers): string {
  return ['-inf', '+inf', `(${number(200) - 100}`, String(number(200) - 100)][number(4)] ?? '';
}

function name(number: SeededNumbers): string {
  return Array.from({ length: 1 + number(3) }, () => 'abcdef'[number(6)]).join('');
}

function edge(number: SeededNumbers): string {
  return ['-', '+', `[${name(number)}`, `(${name(number)}`][number(4)] ?? '';
}
