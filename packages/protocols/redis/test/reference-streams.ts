import { xorshift32, type SeededNumbers } from '@backlot/conformance';

/** What is said to both servers about streams, and answered by both with the same bytes. */
export const STREAM_SCRIPTS: readonly string[] = [
  `XADD s 1-1 a 1
  XADD s 1-1 a 1
  XADD s 1-* b 2
  XADD s 5 c 3 d 4
  XADD s 5-* e 5
  XADD s 0-0 a 1
  XADD s 0-* a 1
  XADD t 0-* a 1
  XADD u 0 a 1
  XADD s 4-5 a 1
  XADD s x a 1
  XADD s 1-x a 1
  XADD s - a 1
  XADD s + a 1
  XADD s 6-1 a
  XADD s 6-1 a 1 b
  XADD s 6-1
  XADD s
  XADD s NOMKSTREAM 6-1 a 1
  XADD none NOMKSTREAM * a 1
  XADD none NOMKSTREAM 1-1 a 1
  XADD s MAXLEN 3 7-1 a 1
  XADD s MAXLEN = 3 7-2 a 1
  XADD s MAXLEN ~ 3 7-3 a 1
  XADD s MAXLEN ~ 3 LIMIT 10 7-4 a 1
  XADD s MAXLEN 3 LIMIT 10 7-5 a 1
  XADD s LIMIT 10 7-5 a 1
  XADD s LIMIT 0 7-5 a 1
  XADD s MAXLEN 3 MINID 1 7-5 a 1
  XADD s MAXLEN -1 7-5 a 1
  XADD s MAXLEN x 7-5 a 1
  XADD s MAXLEN ~ 3 LIMIT -1 7-5 a 1
  XADD s MINID 7-2 7-6 a 1
  XADD s MINID x 7-7 a 1
  XADD s MAXLEN 0 7-8 a 1
  XLEN s
  XADD s 18446744073709551615-18446744073709551615 a 1
  XADD s * a 1
  XADD s 18446744073709551616 a 1
  XADD s -1-1 a 1
  XADD s 007-0 a 1
  XRANGE s - +
  XLEN s
  XLEN none
  TYPE s
  TYPE none
  OBJECT ENCODING s
  OBJECT REFCOUNT s
  EXISTS s
  GET s
  LPUSH s a
  SET str x
  XADD str 1-1 a 1
  XLEN str
  XRANGE str - +
  XREAD STREAMS str 0
  XINFO STREAM str
  XTRIM str MAXLEN 1
  XDEL str 1-1
  SCAN 0 MATCH s TYPE stream
  XADD`,
  `XADD s 1-0 a 1
  XADD s 1-1 b 2
  XADD s 2-0 c 3
  XADD s 3-5 d 4
  XADD s 9-9 e 5
  XRANGE s - +
  XRANGE s - + COUNT 2
  XRANGE s - + COUNT 0
  XRANGE s - + COUNT -1
  XRANGE s - + COUNT x
  XRANGE s - + COUNT
  XRANGE s - + BAD 1
  XRANGE s 1 2
  XRANGE s (1-0 2
  XRANGE s (1 (2
  XRANGE s 1-1 (3-5
  XRANGE s (18446744073709551615-18446744073709551615 +
  XRANGE s - (0-0
  XRANGE s (- +
  XRANGE s ( +
  XRANGE s x +
  XRANGE s 3 1
  XRANGE s + -
  XREVRANGE s + -
  XREVRANGE s + - COUNT 2
  XREVRANGE s 2 1
  XREVRANGE s (3-5 (1-0
  XREVRANGE s (0-0 -
  XREVRANGE s + (18446744073709551615-18446744073709551615
  XREVRANGE none + -
  XRANGE none - +
  XRANGE none - + COUNT 0
  XDEL s 1-1 7-7
  XDEL s 1-1
  XDEL s x
  XDEL none 1
  XDEL none x
  XRANGE s - +
  XINFO STREAM s
  XTRIM s MAXLEN 2
  XTRIM s MAXLEN 2
  XTRIM s MINID 9
  XINFO STREAM s
  XTRIM s
  XTRIM s MAXLEN
  XTRIM s LIMIT 1
  XTRIM s MAXLEN 1 LIMIT 1
  XTRIM s MAXLEN ~ 0
  XTRIM s MAXLEN = 0
  XTRIM none MAXLEN 0
  XTRIM s BAD 0
  XTRIM s NOMKSTREAM MAXLEN 0
  XTRIM s MAXLEN 1 MAXLEN 1
  XLEN s
  EXISTS s
  XINFO STREAM s
  XSETID s 20-0
  XSETID s 5-0
  XADD s 10-0 a 1
  XADD s 21-0 a 1
  XSETID s 3-0
  XSETID s 30-0 ENTRIESADDED 100 MAXDELETEDID 25-0
  XSETID s 30-0 ENTRIESADDED 0 MAXDELETEDID 25-0
  XSETID s 30-0 ENTRIESADDED -1 MAXDELETEDID 0-1
  XSETID s 30-0 ENTRIESADDED 7
  XSETID s 30-0 MAXDELETEDID 31-0
  XSETID s 24-0
  XSETID s x
  XSETID s 30-0 BAD
  XSETID s 30-0 BAD 1
  XSETID s 30-0 ENTRIESADDED 7 MAXDELETEDID
  XSETID none 30-0
  XINFO STREAM s
  XINFO STREAM none
  XINFO STREAM s BAD
  XINFO STREAM s FULL COUNT
  XINFO STREAM s FULL BAD 1
  XINFO STREAM s FULL COUNT x
  XINFO STREAM s FULL COUNT -5
  XINFO STREAM s FULL
  XINFO BAD s
  XINFO STREAM
  XINFO
  XLEN
  XREAD STREAMS s 0
  XREAD STREAMS s none 0 0
  XREAD STREAMS s s 0 21-0
  XREAD COUNT 1 STREAMS s 0
  XREAD COUNT 0 STREAMS s 0
  XREAD COUNT -1 STREAMS s 0
  XREAD COUNT x STREAMS s 0
  XREAD STREAMS s $
  XREAD STREAMS s >
  XREAD STREAMS s x
  XREAD STREAMS s -
  XREAD STREAMS s
  XREAD STREAMS s t 0
  XREAD BLOCK 1 STREAMS s $
  XREAD BLOCK 1 STREAMS none none2 $ 0
  XREAD BLOCK -1 STREAMS s $
  XREAD BLOCK x STREAMS s $
  XREAD GROUP g c STREAMS s 0
  XREAD NOACK STREAMS s 0
  XREAD BAD STREAMS s 0
  XREAD COUNT 1 BLOCK 1
  XREADGROUP STREAMS s 0 a b c
  MULTI
  XREAD BLOCK 0 STREAMS s $
  XADD s 40-0 x y
  XREAD BLOCK 0 STREAMS s 30
  EXEC
  COPY s s2
  XINFO STREAM s2
  RENAME s2 s3
  XRANGE s3 - +
  DEL s3`,
  `XGROUP CREATE s g 0
  XGROUP CREATE s g 0 MKSTREAM
  XGROUP CREATE s g 0 MKSTREAM
  XGROUP CREATE s g 0
  XGROUP CREATE s g2 $
  XGROUP CREATE s g3 x
  XGROUP CREATE s g3 0 BAD
  XGROUP CREATE s g3 0 ENTRIESREAD
  XGROUP CREATE s g3 0 ENTRIESREAD x
  XGROUP CREATE s g3 0 ENTRIESREAD -2
  XGROUP CREATE s g3 - 
  XGROUP CREATE s g3 5-0 ENTRIESREAD 3
  XGROUP CREATE s g4 5-0 ENTRIESREAD -1
  XGROUP CREATE
  XGROUP BAD s g
  XGROUP
  XINFO GROUPS s
  XINFO STREAM s
  XADD s 1-0 a 1
  XADD s 2-0 b 2
  XADD s 3-0 c 3
  XADD s 4-0 d 4
  XINFO GROUPS s
  XREADGROUP GROUP g alice COUNT 2 STREAMS s >
  XREADGROUP GROUP g bob COUNT 1 STREAMS s >
  XREADGROUP GROUP g bob NOACK COUNT 1 STREAMS s >
  XREADGROUP GROUP g bob STREAMS s >
  XREADGROUP GROUP g bob BLOCK 1 STREAMS s >
  XREADGROUP GROUP g alice STREAMS s 0
  XREADGROUP GROUP g alice COUNT 1 STREAMS s 1-0
  XREADGROUP GROUP g alice STREAMS s 5
  XREADGROUP GROUP g carol STREAMS s 0
  XREADGROUP GROUP nog c STREAMS s 0
  XREADGROUP GROUP g c STREAMS none >
  XREADGROUP GROUP g c STREAMS s $
  XREADGROUP GROUP g c STREAMS s x
  XREADGROUP GROUP g c STREAMS s
  XREADGROUP GROUP g c STREAMS s t u >
  XREADGROUP COUNT 1 COUNT 1 STREAMS s >
  XREADGROUP GROUP g c COUNT x STREAMS s >
  XINFO GROUPS s
  XINFO CONSUMERS s g
  XINFO CONSUMERS s nog
  XINFO CONSUMERS none g
  XINFO GROUPS none
  XPENDING s g
  XPENDING s g - + 10
  XPENDING s g - + 10 alice
  XPENDING s g - + 10 nobody
  XPENDING s g - + 1
  XPENDING s g - + 0
  XPENDING s g - + -1
  XPENDING s g (1-0 + 10
  XPENDING s g - (3-0 10
  XPENDING s g (18446744073709551615-18446744073709551615 + 1
  XPENDING s g IDLE 0 - + 10
  XPENDING s g IDLE 999999 - + 10
  XPENDING s g IDLE x - + 10
  XPENDING s g IDLE 1 - +
  XPENDING s g IDLE 0 - + 10 bob
  XPENDING s g - + x
  XPENDING s g x + 1
  XPENDING s g - +
  XPENDING s g -
  XPENDING s g2
  XPENDING s nog
  XPENDING none g
  XACK s g 1-0 9-9
  XACK s g 1-0
  XACK s nog 1-0
  XACK none g x
  XACK s g x
  XACK s g
  XPENDING s g
  XCLAIM s g carol 0 2-0
  XCLAIM s g carol 0 3-0 JUSTID
  XCLAIM s g carol 999999 3-0
  XCLAIM s g carol -5 3-0
  XCLAIM s g carol x 3-0
  XCLAIM s g carol 0 4-0
  XCLAIM s g carol 0 4-0 FORCE
  XCLAIM s g carol 0 1-0 FORCE JUSTID
  XCLAIM s g carol 0 9-0 FORCE
  XCLAIM s g carol 0 2-0 3-0 IDLE 100 RETRYCOUNT 7
  XCLAIM s g carol 0 2-0 TIME 1
  XCLAIM s g carol 0 2-0 TIME -1
  XCLAIM s g carol 0 2-0 BAD
  XCLAIM s g carol 0 2-0 IDLE
  XCLAIM s g carol 0 2-0 IDLE x
  XCLAIM s g carol 0 2-0 TIME x
  XCLAIM s g carol 0 2-0 RETRYCOUNT x
  XCLAIM s g carol 0 2-0 RETRYCOUNT -1
  XCLAIM s g carol 0 2-0 LASTID x
  XCLAIM s g carol 0 2-0 LASTID 3-0
  XCLAIM s g carol 0 2-0 JUSTID LASTID 8-0
  XCLAIM s g carol 0 x
  XCLAIM s nog carol 0 1-0
  XCLAIM none g carol 0 1-0
  XPENDING s g - + 10
  XINFO GROUPS s
  XDEL s 2-0
  XREADGROUP GROUP g carol STREAMS s 0
  XCLAIM s g dave 0 2-0 3-0
  XPENDING s g - + 10
  XINFO GROUPS s
  XDEL s 3-0
  XAUTOCLAIM s g erin 0 0
  XAUTOCLAIM s g erin 0 - COUNT 1
  XAUTOCLAIM s g erin 0 (1-0 COUNT 1 JUSTID
  XAUTOCLAIM s g erin 999999 0
  XAUTOCLAIM s g erin -1 0
  XAUTOCLAIM s g erin x 0
  XAUTOCLAIM s g erin 0 x
  XAUTOCLAIM s g erin 0 0 COUNT 0
  XAUTOCLAIM s g erin 0 0 COUNT x
  XAUTOCLAIM s g erin 0 0 COUNT
  XAUTOCLAIM s g erin 0 0 BAD
  XAUTOCLAIM s nog erin 0 0
  XAUTOCLAIM none g erin 0 0
  XINFO STREAM s FULL
  XINFO STREAM s FULL COUNT 1
  XINFO STREAM s FULL COUNT 0
  XGROUP CREATECONSUMER s g zed
  XGROUP CREATECONSUMER s g zed
  XGROUP CREATECONSUMER s nog zed
  XGROUP CREATECONSUMER none g zed
  XGROUP DELCONSUMER s g zed
  XGROUP DELCONSUMER s g erin
  XGROUP DELCONSUMER s g nobody
  XGROUP DELCONSUMER s nog nobody
  XGROUP DELCONSUMER s g
  XGROUP SETID s g 0
  XINFO GROUPS s
  XGROUP SETID s g 1-0 ENTRIESREAD 1
  XINFO GROUPS s
  XGROUP SETID s g $
  XGROUP SETID s g +
  XGROUP SETID s g x
  XGROUP SETID s nog 0
  XGROUP SETID none g 0
  XGROUP SETID s g 0 MKSTREAM
  XGROUP SETID s g 0 ENTRIESREAD
  XGROUP SETID s g 0 ENTRIESREAD -2
  XINFO GROUPS s
  XREADGROUP GROUP g x STREAMS s >
  XGROUP DESTROY s g
  XGROUP DESTROY s g
  XGROUP DESTROY none g
  XGROUP DESTROY s
  SET str x
  XGROUP CREATE str g 0 MKSTREAM
  XACK str g 0
  XPENDING str g
  XCLAIM str g c 0 1
  XAUTOCLAIM str g c 0 0
  XREADGROUP GROUP g c STREAMS str >
  COMMAND GETKEYS XADD s * a 1`,
];

/** Streams of some hundred entries, so that they have many nodes. */
const ON_STREAMS: readonly ((number: SeededNumbers) => string)[] = [
  (number) => `XADD s ${number(400)}-* f ${'v'.repeat(number(100))} g${number(3)} h`,
  (number) => `XADD s ${number(400)}-${number(4)} f v`,
  (number) => `XADD s MAXLEN ${150 + number(100)} ${number(500)}-* f v`,
  (number) => `XADD s MAXLEN ~ ${number(200)} ${number(500)}-* f v`,
  (number) => `XDEL s ${number(400)}-${number(3)} ${number(400)}-0`,
  (number) => `XRANGE s ${number(400)} ${number(400)} COUNT ${1 + number(5)}`,
  (number) => `XREVRANGE s ${number(400)} (${number(400)} COUNT ${1 + number(5)}`,
  (number) => `XREADGROUP GROUP g${number(3)} c${number(3)} COUNT ${1 + number(9)} STREAMS s >`,
  (number) => `XREADGROUP GROUP g${number(3)} c${number(3)} NOACK COUNT ${1 + number(9)} STREAMS s >`,
  (number) => `XREADGROUP GROUP g${number(3)} c${number(3)} COUNT 3 STREAMS s ${number(400)}`,
  (number) => `XACK s g${number(3)} ${number(400)}-0 ${number(400)}-0 ${number(400)}-1`,
  (number) => `XCLAIM s g${number(3)} c${number(3)} 0 ${number(400)}-0 ${number(400)}-1 FORCE JUSTID`,
  (number) => `XAUTOCLAIM s g${number(3)} c${number(3)} 0 ${number(400)} COUNT ${1 + number(6)} JUSTID`,
  (number) => `XPENDING s g${number(3)}`,
  (number) => `XGROUP CREATE s g${number(3)} ${number(200)} MKSTREAM`,
  (number) => `XTRIM s MINID ${['~', '='][number(2)] ?? ''} ${number(100)}`,
  () => 'XINFO GROUPS s',
  () => 'XLEN s',
];

/** Commands for streams by chance, the same in every run. */
export const SEEDED_STREAM_SCRIPTS: readonly string[] = [11, 12, 13].map((seed) => {
  const number = xorshift32(seed);
  // Rising ids first, so that there is something to read.
  const first = Array.from({ length: 250 }, (_, place) => `XADD s ${place + 1}-* f ${number(1_000)}`);
  const groups = [0, 1, 2].map((group) => `XGROUP CREATE s g${group} ${number(100)} MKSTREAM`);
  const rest = Array.from({ length: 400 }, () => ON_STREAMS[number(ON_STREAMS.length)]?.(number) ?? '');
  return [...groups, ...first, ...rest].join('\n');
});

/** What tells how long ago something was is not the same twice. */
export function hideTimes(line: string, reply: string): string {
  if (/^xpending \S+ \S+ \S/i.test(line)) return reply.replace(/:\d+\r\n:(\d+)\r\n/g, ':-\r\n:$1\r\n');
  if (/^xinfo consumers/i.test(line)) return reply.replace(/idle\r\n:\d+/g, 'idle\r\n:-');
  return /^xinfo stream \S+ full/i.test(line) ? reply.replace(/:\d{12,}/g, ':-') : reply;
}
