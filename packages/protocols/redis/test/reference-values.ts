import { xorshift32 } from '@backlot/conformance';

/** What is said to both servers about bits, HyperLogLogs, sorting and common texts. */
export const VALUE_SCRIPTS: readonly string[] = [
  `SET b foobar
  BITCOUNT b
  BITCOUNT b 0 0
  BITCOUNT b 1 1
  BITCOUNT b 1 -1 BYTE
  BITCOUNT b 5 30 BIT
  BITCOUNT b -5 -2 BIT
  BITCOUNT b -1 -2
  BITCOUNT b 3 1
  BITCOUNT b 0
  BITCOUNT b 0 1 BAD
  BITCOUNT b 0 1 BIT 1
  BITCOUNT b x 1
  BITCOUNT b -100 100
  BITCOUNT none
  BITCOUNT none 0 x
  SET p \\xff\\xf0\\x00
  BITPOS p 0
  BITPOS p 1
  BITPOS p 1 1
  BITPOS p 1 2
  BITPOS p 0 0
  BITPOS p 0 0 0
  BITPOS p 0 2 2
  BITPOS p 1 -1
  BITPOS p 1 7 15 BIT
  BITPOS p 0 7 15 BIT
  BITPOS p 0 7 -3 BIT
  BITPOS p 0 0 11 BIT
  BITPOS p 2
  BITPOS p x
  BITPOS p 1 0 1 BAD
  BITPOS p 1 0 1 BIT 1
  BITPOS p 1 x
  BITPOS p 1 3 1
  BITPOS none 0
  BITPOS none 1
  SET o \\xff\\xff
  BITPOS o 0
  BITPOS o 0 0 -1
  BITPOS o 0 5
  SET k1 abcdef
  SET k2 ABC
  BITOP AND d k1 k2
  GET d
  BITOP OR d k1 k2 none
  GET d
  BITOP XOR d k1 k2 k1
  GET d
  BITOP NOT d k2
  GET d
  BITOP NOT d k1 k2
  BITOP BAD d k1
  BITOP AND d none
  EXISTS d
  BITOP AND d k1 none
  GET d
  BITFIELD f SET u8 0 255 GET u8 0 GET i8 0
  BITFIELD f INCRBY u8 0 1
  BITFIELD f OVERFLOW SAT INCRBY u8 0 300
  BITFIELD f OVERFLOW FAIL INCRBY u8 0 1 GET u8 0
  BITFIELD f OVERFLOW WRAP INCRBY i5 100 20 INCRBY i5 100 20
  BITFIELD f OVERFLOW SAT INCRBY i5 100 -40 SET i5 100 99 SET i5 100 -99 GET i5 100
  BITFIELD f SET u4 #2 9 GET u4 #2 GET u8 #1
  BITFIELD f SET i64 0 -9223372036854775808 INCRBY i64 0 -1
  BITFIELD f SET u63 1 -1 GET u63 1
  BITFIELD f OVERFLOW SAT SET u7 3 -5 GET u7 3
  BITFIELD f OVERFLOW FAIL SET u7 3 200
  BITFIELD f OVERFLOW SAT INCRBY u7 3 -200
  GET f
  BITFIELD f GET u64 0
  BITFIELD f GET i65 0
  BITFIELD f GET x8 0
  BITFIELD f GET u0 0
  BITFIELD f GET u8 -1
  BITFIELD f GET u8 x
  BITFIELD f GET u8
  BITFIELD f SET u8 0 x
  BITFIELD f SET u8 0
  BITFIELD f OVERFLOW BAD
  BITFIELD f OVERFLOW SAT
  BITFIELD f BAD u8 0
  BITFIELD f
  BITFIELD nof GET u8 0
  EXISTS nof
  BITFIELD nof OVERFLOW FAIL SET u2 30 9
  GET nof
  BITFIELD_RO f GET u8 0 GET i3 7
  BITFIELD_RO f SET u8 0 1
  LPUSH list a
  BITCOUNT list
  BITPOS list 1
  BITOP AND d list
  BITFIELD list GET u8 0
  PFADD list a
  PFCOUNT list`,
  `PFADD h a b c
  PFADD h a
  PFADD h d
  PFCOUNT h
  PFADD h
  PFADD fresh
  PFADD fresh
  PFCOUNT fresh
  PFCOUNT none
  PFADD other c d e f "longer than eight bytes" \\xff\\xfe
  PFCOUNT h other
  PFMERGE both h other none
  PFCOUNT both
  PFMERGE made
  EXISTS made
  TYPE made
  SET wrong x
  PFADD wrong a
  PFCOUNT wrong
  PFMERGE wrong h
  PFADD
  ${countings()}
  PFCOUNT big0
  PFCOUNT big1
  PFCOUNT big0 big1 h
  PFMERGE all big0 big1
  PFCOUNT all`,
  `RPUSH l 3 1 2 10
  SORT l
  SORT l DESC
  SORT l ALPHA
  SORT l ALPHA DESC
  SORT l LIMIT 1 2
  SORT l LIMIT 0 -1
  SORT l LIMIT -1 2
  SORT l LIMIT 10 2
  SORT l LIMIT 0 0
  SORT l LIMIT 0
  SORT l LIMIT x 1
  MSET w1 30 w2 20 w3 10 o1 one o2 two
  HSET h1 name uno w 5
  HSET h2 name due w 9
  SORT l BY w*
  SORT l BY w* DESC
  SORT l BY w* GET o* GET #
  SORT l BY h*->w GET h*->name GET #
  SORT l BY nosort
  SORT l BY nosort DESC
  SORT l BY nosort GET # GET nothing
  SORT l BY w* ALPHA
  SORT l GET h*->
  SORT l GET h*->none
  SORT l BAD
  SORT l BY
  SORT l STORE out
  LRANGE out 0 -1
  SORT l GET o* STORE out
  LRANGE out 0 -1
  SORT none STORE out
  EXISTS out
  SORT none
  RPUSH t b a c
  SORT t
  SORT t ALPHA
  SORT t BY h*->name ALPHA
  SORT_RO l
  SORT_RO l STORE x
  SADD s 5 4 6
  SORT s
  SORT s BY nosort STORE out
  LRANGE out 0 -1
  ZADD z 3 1 2 2 1 3
  SORT z
  SORT z BY nosort
  SORT z BY nosort DESC
  SORT z BY nosort DESC LIMIT 0 2
  SORT z BY w* GET #
  SET str x
  SORT str
  HSET hash a b
  SORT hash
  SORT`,
  `MSET a ohmytext b mynewtext
  LCS a b
  LCS a b LEN
  LCS a b IDX
  LCS a b IDX MINMATCHLEN 4
  LCS a b IDX MINMATCHLEN 4 WITHMATCHLEN
  LCS a b IDX WITHMATCHLEN
  LCS a b LEN IDX
  LCS a b BAD
  LCS a b MINMATCHLEN
  LCS a b MINMATCHLEN x
  LCS a b MINMATCHLEN -1 IDX
  LCS a none
  LCS none none2 LEN
  LCS none none2 IDX
  MSET c aaabbbccc d abcabcabc
  LCS c d IDX WITHMATCHLEN
  LCS c d
  LCS d c IDX
  MSET e GATTACAGATTACCAGATA f TACGATACCAGATTAGACA
  LCS e f IDX WITHMATCHLEN
  LCS f e
  LPUSH l a
  LCS a l
  LCS a`,
];

/** PFADDs of many different elements, so that the dense form and all parts of the estimator count. */
function countings(): string {
  const number = xorshift32(7);
  const lines: string[] = [];
  for (let line = 0; line < 120; line += 1) {
    const elements = Array.from({ length: 100 }, () => `e${number(1_000_000)}-${'x'.repeat(number(12))}`);
    lines.push(`PFADD big${line % 2} ${elements.join(' ')}`);
    if (line % 6 === 0) lines.push(`PFCOUNT big0`);
  }
  return lines.join('\n');
}
