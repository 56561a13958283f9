/** Commands whose answers have no order. */
export const UNORDERED = /^(smembers|sunion|sinter|sdiff|keys|spop \w+ \d|srandmember \w+ -?\d)/i;

/** What is said to both servers, and answered by both with the same bytes. */
export const SCRIPTS: readonly string[] = [
  // Strings.
  `SET a 1
  GET a
  SET a 2 NX
  SET a 2 XX
  SET b 2 XX
  SET b 2 NX
  SET a 3 GET
  SET zz 3 GET
  SET a 3 NX XX
  SET a 3 EX
  SET a 3 EX 0
  SET a 3 EX -1
  SET a 3 EX abc
  SET a 3 EX 9223372036854775807
  SET a 3 PX 100000 KEEPTTL
  SET a 3 EX 100
  TTL a
  SET a 4 KEEPTTL
  TTL a
  SET a 5
  TTL a
  SET a 5 PXAT 1
  GET a
  SET a 5 EXAT 99999999999
  TTL nokey
  SET a 1 BAD
  SET a
  SET
  GET
  GET a b
  SETNX n 1
  SETNX n 2
  SETEX e 100 v
  SETEX e 0 v
  SETEX e x v
  PSETEX e 100000 v
  PSETEX e -5 v
  TTL e
  GETSET e w
  TTL e
  GETSET new w
  GETDEL new
  GETDEL new
  GETEX e EX 100
  TTL e
  GETEX e PERSIST
  TTL e
  GETEX e EX
  GETEX e BAD
  GETEX nokey EX 10
  GETEX e EXAT 99999999999 PERSIST
  MSET x 1 y 2
  MSET x 1 y
  MSETNX x 1 z 2
  MSETNX z 1 w 2
  MGET x y z w nokey
  APPEND x abc
  APPEND fresh abc
  STRLEN x
  STRLEN nokey
  GETRANGE x 0 -1
  GETRANGE x 1 2
  GETRANGE x -2 -1
  GETRANGE x 5 2
  GETRANGE x 0 100
  GETRANGE nokey 0 -1
  GETRANGE x a b
  SUBSTR x 0 1
  SETRANGE x 2 ZZ
  GET x
  SETRANGE pad 5 hi
  GET pad
  SETRANGE pad 0 ""
  SETRANGE none 0 ""
  EXISTS none
  SETRANGE pad -1 x
  SETRANGE pad abc x
  SET binary \\x00\\x01\\xff\\xfe
  GET binary
  STRLEN binary
  TYPE x
  TYPE nokey
  SET short x
  OBJECT ENCODING short
  SET num 123
  OBJECT ENCODING num
  SETBIT bits 7 1
  GETBIT bits 7
  GETBIT bits 100
  GET bits
  SETBIT bits 7 0
  SETBIT bits -1 0
  SETBIT bits 1 2
  GETBIT bits x
  LPUSH alist 1
  GET alist
  APPEND alist x
  STRLEN alist
  INCR alist
  MGET alist x
  SET alist now-a-string
  GET alist`,
  // Counters.
  `INCR c
  INCR c
  DECR c
  INCRBY c 10
  DECRBY c 3
  INCRBY c abc
  INCRBY c 1.5
  INCRBY c 9223372036854775807
  DECRBY c -9223372036854775808
  SET big 9223372036854775807
  INCR big
  DECR big
  SET big -9223372036854775808
  DECR big
  SET s abc
  INCR s
  INCRBYFLOAT s 1
  SET f 10.5
  INCRBYFLOAT f 0.1
  INCRBYFLOAT f -5
  SET f 0.5
  INCRBYFLOAT f 5.0e3
  INCRBYFLOAT f abc
  INCRBYFLOAT f inf
  INCRBYFLOAT nf 3.0e3
  SET sp " 11"
  INCR sp
  SET sp 007
  INCR sp
  SET t 1 EX 100
  INCR t
  TTL t
  APPEND t 0
  TTL t`,
  // Hashes.
  `HSET h a 1 b 2
  HSET h a 3 c 4
  HSET h a
  HSET h a 1 b
  HMSET h d 5
  HMSET h d
  HGET h a
  HGET h nofield
  HGET nokey a
  HMGET h a nofield b
  HMGET nokey a b
  HGETALL h
  HGETALL nokey
  HKEYS h
  HVALS h
  HLEN h
  HLEN nokey
  HEXISTS h a
  HEXISTS h z
  HSETNX h a 9
  HSETNX h z 9
  HSTRLEN h z
  HSTRLEN h nofield
  HDEL h z nofield
  HDEL nokey a
  HINCRBY h a 5
  HINCRBY h new 5
  HINCRBY h a x
  HSET h text abc
  HINCRBY h text 1
  HINCRBYFLOAT h a 1.5
  HINCRBYFLOAT h text 1
  HINCRBYFLOAT h a x
  HINCRBY h a 1
  HRANDFIELD nokey
  HRANDFIELD nokey 5
  HRANDFIELD h x
  HSCAN h 0
  HSCAN h 0 MATCH a*
  HSCAN h x
  HSCAN nokey 0
  TYPE h
  OBJECT ENCODING h
  SET str x
  HGET str a
  HSET str a 1
  HDEL h a b c d new text
  EXISTS h
  HSET one f v
  HRANDFIELD one
  HRANDFIELD one 1
  HRANDFIELD one -2
  HRANDFIELD one 1 WITHVALUES
  HRANDFIELD one 1 BAD`,
  // Lists.
  `RPUSH l a b c
  LPUSH l z y
  LRANGE l 0 -1
  LRANGE l 1 2
  LRANGE l -2 -1
  LRANGE l 5 1
  LRANGE nokey 0 -1
  LRANGE l a b
  LPUSHX l w
  RPUSHX l d
  LPUSHX nokey w
  RPUSHX nokey w
  LLEN l
  LLEN nokey
  LINDEX l 0
  LINDEX l -1
  LINDEX l 100
  LINDEX l x
  LINDEX nokey 0
  LSET l 0 first
  LSET l -1 last
  LSET l 100 x
  LSET nokey 0 x
  LSET l x y
  LINSERT l BEFORE a new
  LINSERT l AFTER a new2
  LINSERT l AFTER nothing x
  LINSERT l MIDDLE a x
  LINSERT nokey BEFORE a x
  LRANGE l 0 -1
  LPOS l a
  LPOS l nothing
  LPOS l a COUNT 0
  LPOS l nothing COUNT 0
  LPOS l a RANK 0
  LPOS l a RANK -1
  LPOS l a COUNT -1
  LPOS l a MAXLEN -1
  LPOS l a RANK
  LPOS l a MAXLEN 1
  LREM l 0 new
  LREM l -1 new2
  LREM l 1 nothing
  LREM nokey 0 a
  LPOP l
  RPOP l
  LPOP l 2
  RPOP l 2
  LPOP l 0
  LPOP l -1
  LPOP l x
  LPOP nokey
  LPOP nokey 2
  RPOP nokey 2
  LPOP l 1 2
  LRANGE l 0 -1
  RPUSH m 1 2 3 4 5
  LTRIM m 1 3
  LRANGE m 0 -1
  LTRIM m 5 10
  EXISTS m
  LTRIM nokey 0 1
  LTRIM nokey x 1
  RPUSH src 1 2 3
  LMOVE src dst LEFT RIGHT
  LMOVE src dst RIGHT LEFT
  LMOVE src src LEFT RIGHT
  LMOVE nokey dst LEFT RIGHT
  LMOVE src dst UP DOWN
  RPOPLPUSH src dst
  RPOPLPUSH src dst
  EXISTS src
  LRANGE dst 0 -1
  LMPOP 2 nokey dst LEFT
  LMPOP 1 dst RIGHT COUNT 5
  LMPOP 1 dst LEFT
  LMPOP 0 dst LEFT
  LMPOP x dst LEFT
  LMPOP 1 dst MIDDLE
  LMPOP 1 dst LEFT COUNT 0
  LMPOP 3 dst LEFT
  RPUSH q a b c
  BLPOP q 0
  BRPOP nokey q 1
  BLMOVE q r LEFT LEFT 0
  BLPOP q 0.01
  BRPOP q -1
  BLPOP q abc
  BRPOPLPUSH r q 1
  BLMPOP 0.01 1 nokey LEFT
  BLMPOP 1 1 q LEFT COUNT 2
  BZPOPMIN nokey 0.01
  BLMOVE nokey r LEFT LEFT 0.01
  SET s x
  LPUSH s a
  LRANGE s 0 -1
  BLPOP s 1
  LMOVE q s LEFT LEFT
  RPUSH q a
  LMOVE q s LEFT LEFT
  LLEN q
  OBJECT ENCODING q
  TYPE q`,
  // Sets.
  `SADD s a b c
  SADD s a d
  SMEMBERS s
  SMEMBERS nokey
  SISMEMBER s a
  SISMEMBER s z
  SISMEMBER nokey a
  SMISMEMBER s a z b
  SMISMEMBER nokey a
  SCARD s
  SCARD nokey
  SREM s a z
  SREM nokey a
  SADD t b c e
  SUNION s t
  SUNION s nokey
  SINTER s t
  SINTER s nokey
  SDIFF s t
  SDIFF nokey s
  SUNIONSTORE u s t
  SCARD u
  SINTERSTORE i s t
  SCARD i
  SDIFFSTORE d t s
  SMEMBERS d
  SINTERSTORE i s nokey
  EXISTS i
  SINTERCARD 2 s t
  SINTERCARD 2 s t LIMIT 1
  SINTERCARD 0 s
  SINTERCARD 3 s t
  SINTERCARD 2 s t LIMIT -1
  SINTERCARD 2 s t BAD 1
  SMOVE s t b
  SMOVE s t zz
  SMOVE nokey t b
  SMOVE s s c
  SMEMBERS s
  SPOP nokey
  SPOP nokey 2
  SPOP u 100
  EXISTS u
  SPOP t -1
  SPOP t 0
  SRANDMEMBER nokey
  SRANDMEMBER nokey 2
  SRANDMEMBER t 100
  SRANDMEMBER t 0
  SRANDMEMBER t x
  SADD one x
  SRANDMEMBER one
  SRANDMEMBER one -3
  SPOP one
  EXISTS one
  SADD nums 3 1 2
  OBJECT ENCODING nums
  SADD nums x
  OBJECT ENCODING nums
  SSCAN nokey 0
  SADD single m
  SSCAN single 0
  SSCAN single 0 MATCH x*
  SSCAN single 0 COUNT 0
  SET str x
  SADD str a
  SUNION s str
  SMOVE s str c
  SINTER nokey str`,
  // Sorted sets.
  `ZADD z 1 a 2 b 3 c
  ZADD z 1 a 5 b
  ZADD z CH 2 a 6 b
  ZADD z NX 9 a 4 d
  ZADD z XX 9 a 4 e
  ZADD z GT 1 a
  ZADD z LT 1 a
  ZADD z GT CH 10 a
  ZADD z NX XX 1 a
  ZADD z GT LT 1 a
  ZADD z NX GT 1 a
  ZADD z INCR 1 a
  ZADD z INCR 1 a 2 b
  ZADD z XX INCR 1 nothing
  ZADD z NX INCR 1 a
  ZADD z x a
  ZADD z 1
  ZADD z 1 a 2
  ZADD z NX
  ZADD z inf top
  ZADD z -inf bottom
  ZADD z +inf top2
  ZADD z nan x
  ZADD z INCR -inf top
  ZADD xxonly XX 1 a
  EXISTS xxonly
  ZSCORE z a
  ZSCORE z top
  ZSCORE z nothing
  ZSCORE nokey a
  ZMSCORE z a nothing bottom
  ZMSCORE nokey a
  ZCARD z
  ZCARD nokey
  ZRANK z a
  ZRANK z nothing
  ZREVRANK z a
  ZRANK nokey a
  ZINCRBY z 2 a
  ZINCRBY z 1.5 fresh
  ZINCRBY z x a
  ZINCRBY z -inf top
  ZRANGE z 0 -1
  ZRANGE z 0 -1 WITHSCORES
  ZRANGE z 1 2
  ZRANGE z -2 -1
  ZRANGE z 5 1
  ZRANGE nokey 0 -1
  ZRANGE z 0 -1 REV
  ZRANGE z 0 1 REV WITHSCORES
  ZRANGE z 0 1 LIMIT 0 1
  ZRANGE z a b
  ZRANGE z -inf +inf BYSCORE
  ZRANGE z (4 10 BYSCORE WITHSCORES
  ZRANGE z (4 (12 BYSCORE LIMIT 0 2
  ZRANGE z -inf +inf BYSCORE LIMIT 1 2
  ZRANGE z -inf +inf BYSCORE LIMIT 1 -1
  ZRANGE z -inf +inf BYSCORE LIMIT -1 2
  ZRANGE z +inf -inf BYSCORE REV
  ZRANGE z +inf -inf BYSCORE REV LIMIT 1 2
  ZRANGE z 10 (4 BYSCORE REV
  ZRANGE z x y BYSCORE
  ZRANGE z 0 -1 BYLEX
  ZRANGE z 0 -1 BYSCORE BAD
  ZRANGE z - + BYLEX WITHSCORES
  ZREVRANGE z 0 1
  ZREVRANGE z 0 -1 WITHSCORES
  ZRANGEBYSCORE z 4 12
  ZRANGEBYSCORE z -inf inf WITHSCORES LIMIT 1 3
  ZRANGEBYSCORE z (4 (12
  ZRANGEBYSCORE z a b
  ZREVRANGEBYSCORE z 12 4
  ZREVRANGEBYSCORE z +inf -inf WITHSCORES LIMIT 0 2
  ZCOUNT z 4 12
  ZCOUNT z -inf +inf
  ZCOUNT z (4 12
  ZCOUNT z x 1
  ZCOUNT nokey 0 1
  ZADD lex 0 a 0 b 0 c 0 d 0 e
  ZRANGEBYLEX lex - +
  ZRANGEBYLEX lex [b [d
  ZRANGEBYLEX lex (b (d
  ZRANGEBYLEX lex - (c
  ZRANGEBYLEX lex [b + LIMIT 1 2
  ZRANGEBYLEX lex b d
  ZRANGEBYLEX lex + -
  ZREVRANGEBYLEX lex + -
  ZREVRANGEBYLEX lex [d [b
  ZREVRANGEBYLEX lex (d - LIMIT 0 1
  ZRANGE lex [b [d BYLEX
  ZRANGE lex [d [b BYLEX REV
  ZLEXCOUNT lex - +
  ZLEXCOUNT lex [b (d
  ZLEXCOUNT lex b d
  ZRANGESTORE stored lex 1 2
  ZRANGE stored 0 -1
  ZRANGESTORE stored lex [b [c BYLEX
  ZRANGESTORE stored nokey 0 -1
  EXISTS stored
  ZRANGESTORE stored lex 0 -1 WITHSCORES
  ZREM lex a nothing
  ZREM nokey a
  ZREMRANGEBYRANK lex 0 0
  ZREMRANGEBYLEX lex [c [c
  ZREMRANGEBYSCORE lex 0 0
  EXISTS lex
  ZREMRANGEBYSCORE nokey 0 1
  ZREMRANGEBYRANK nokey x 1
  ZADD p 1 a 2 b 3 c 4 d
  ZPOPMIN p
  ZPOPMAX p
  ZPOPMIN p 5
  ZPOPMIN p
  ZPOPMIN p 5
  ZPOPMIN p -1
  ZADD p 1 a 2 b 3 c 4 d
  ZMPOP 1 p MIN
  ZMPOP 2 nokey p MAX COUNT 2
  ZMPOP 1 nokey MIN
  ZMPOP 1 p MID
  ZMPOP 0 p MIN
  BZPOPMIN p 0
  BZPOPMAX p 0.01
  ZADD p 1 a
  BZMPOP 1 1 p MAX
  BZMPOP 0.01 1 p MAX
  ZADD z1 1 a 2 b
  ZADD z2 3 b 4 c
  SADD plain b d
  ZUNION 2 z1 z2
  ZUNION 2 z1 z2 WITHSCORES
  ZUNION 2 z1 z2 WEIGHTS 2 3 WITHSCORES
  ZUNION 2 z1 z2 AGGREGATE MAX WITHSCORES
  ZUNION 2 z1 z2 AGGREGATE MIN WITHSCORES
  ZUNION 2 z1 plain WITHSCORES
  ZUNION 0 z1
  ZUNION 5 z1
  ZUNION 2 z1 z2 WEIGHTS 1
  ZUNION 2 z1 z2 WEIGHTS 1 x
  ZUNION 2 z1 z2 AGGREGATE AVG
  ZUNION 2 z1 z2 BAD
  ZINTER 2 z1 z2 WITHSCORES
  ZINTER 2 z1 nokey
  ZDIFF 2 z1 z2 WITHSCORES
  ZDIFF 2 z1 z2 WEIGHTS 1 2
  ZUNIONSTORE out 2 z1 z2
  ZRANGE out 0 -1 WITHSCORES
  ZINTERSTORE out 2 z1 z2 WEIGHTS 10 1
  ZRANGE out 0 -1 WITHSCORES
  ZDIFFSTORE out 2 z1 z2
  ZRANGE out 0 -1 WITHSCORES
  ZINTERSTORE out 2 z1 nokey
  EXISTS out
  ZINTERCARD 2 z1 z2
  ZINTERCARD 2 z1 z2 LIMIT 1
  ZSCAN z1 0
  ZSCAN z1 0 MATCH a
  ZRANDMEMBER nokey
  ZRANDMEMBER nokey 2
  ZADD one 1.5 m
  ZRANDMEMBER one
  ZRANDMEMBER one -2 WITHSCORES
  ZRANDMEMBER one 2
  TYPE z1
  OBJECT ENCODING z1
  SET str x
  ZADD str 1 a
  ZSCORE str a
  ZUNION 2 z1 str
  ZRANGE str 0 -1
  SET k v
  ZRANGE k x y`,
  // Keys and expiry.
  `SET a 1
  SET b 2
  DEL a b nokey
  DEL
  SET a 1
  UNLINK a nokey
  SET a 1
  EXISTS a a nokey
  TOUCH a nokey
  RENAME a b
  RENAME nokey b
  RENAME b b
  GET b
  SET c 3
  RENAMENX b c
  RENAMENX b d
  RENAMENX nokey d
  COPY d e
  COPY d e
  COPY d e REPLACE
  COPY d d
  COPY d e DB 1
  COPY d e DB 99
  COPY d e BAD
  COPY nokey e
  MOVE d 1
  MOVE d 1
  MOVE c 0
  MOVE c 99
  MOVE c x
  SELECT 1
  GET d
  KEYS *
  DBSIZE
  SELECT 0
  SELECT 16
  SELECT -1
  SELECT x
  SWAPDB 0 1
  GET d
  SWAPDB 0 1
  SWAPDB 0 99
  SWAPDB x 1
  DBSIZE
  KEYS [a-c]
  KEYS nothing*
  RANDOMKEY x
  EXPIRE c 100
  TTL c
  EXPIRE c 50 GT
  EXPIRE c 200 LT
  EXPIRE c 200 NX
  EXPIRE c 200 XX
  EXPIRE c 200 GT LT
  EXPIRE c 200 NX XX
  EXPIRE c 200 BAD
  EXPIRE c abc
  EXPIRE c 9223372036854775807
  EXPIRE nokey 10
  TTL c
  PEXPIRE c 100000
  TTL c
  EXPIREAT c 99999999999
  EXPIRETIME c
  PEXPIREAT c 99999999999000
  PEXPIRETIME c
  EXPIRETIME nokey
  PERSIST c
  PERSIST c
  PERSIST nokey
  TTL c
  PTTL c
  PTTL nokey
  EXPIRETIME c
  EXPIRE c -1
  EXISTS c
  SET c 1
  EXPIREAT c 1
  EXISTS c
  SET c 1 PX 1000000
  RENAME c d
  TTL d
  COPY d e REPLACE
  TTL e
  SET ref some-text
  OBJECT REFCOUNT ref
  OBJECT ENCODING nokey
  OBJECT BAD d
  OBJECT
  SCAN 0 MATCH nothing*
  SCAN x
  SCAN 0 COUNT 0
  SCAN 0 COUNT x
  SCAN 0 BAD
  FLUSHDB BAD
  FLUSHALL ASYNC
  DBSIZE
  SCAN 0
  SET only 1
  SCAN 0
  SCAN 0 TYPE string
  SCAN 0 TYPE list
  RANDOMKEY
  FLUSHDB
  RANDOMKEY`,
  // Transactions.
  `MULTI
  SET a 1
  INCR a
  GET a
  EXEC
  MULTI
  MULTI
  EXEC
  EXEC
  DISCARD
  MULTI
  SET a 5
  DISCARD
  GET a
  MULTI
  BADCOMMAND
  EXEC
  MULTI
  SET a
  GET a
  EXEC
  MULTI
  LPUSH a x
  GET a
  EXEC
  WATCH a
  SET a 9
  MULTI
  GET a
  EXEC
  WATCH a
  UNWATCH
  SET a 10
  MULTI
  GET a
  EXEC
  WATCH a b
  MULTI
  WATCH c
  GET a
  EXEC
  MULTI
  BLPOP nothing 0
  BZPOPMIN nothing 0
  BLMOVE nothing other LEFT LEFT 0
  HGETALL nothing
  EXEC
  MULTI
  SELECT 1
  SET inone 1
  SELECT 0
  EXEC
  GET inone
  MULTI
  PING
  ECHO hi
  EXEC
  MULTI
  RESET
  EXEC`,
  // Connections, pub/sub and what is not there.
  `PING
  PING hello
  PING a b
  ECHO hi
  ECHO
  NOSUCH
  NOSUCH a b c
  nosuch "with space" x
  CLIENT GETNAME
  CLIENT SETNAME me
  CLIENT GETNAME
  CLIENT SETNAME "not ok"
  CLIENT BAD
  CLIENT
  CONFIG GET appendonly
  CONFIG GET save
  CONFIG BAD
  COMMAND GETKEYS GET a
  COMMAND GETKEYS MSET a 1 b 2
  COMMAND GETKEYS PING
  COMMAND GETKEYS nosuch
  PUBLISH ch hello
  PUBSUB CHANNELS
  PUBSUB NUMSUB a b
  PUBSUB NUMPAT
  PUBSUB BAD
  EVALSHA abc 0
  AUTH
  WAIT 0 0
  TIME x
  HELLO 4
  HELLO x
  HELLO 3 BAD
  OBJECT
  GET "\\x00"
  SET "" empty
  GET ""
  UNSUBSCRIBE
  UNSUBSCRIBE nothing
  PUNSUBSCRIBE
  CLIENT REPLY ON
  SUBSCRIBE ch
  PSUBSCRIBE c*
  PING
  UNSUBSCRIBE ch
  PUNSUBSCRIBE c*
  GET ""
  SUBSCRIBE one
  GET x
  RESET
  GET x`,
];
