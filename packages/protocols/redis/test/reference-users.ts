/** What is said to both servers about users: the letter before a line names the client that says it. */
export const USER_SCRIPTS: readonly string[] = [
  `
a ACL WHOAMI
a ACL USERS
a ACL LIST
a ACL GETUSER default
a ACL GETUSER nobody
a ACL GETUSER
a ACL SETUSER
a ACL SETUSER ada
a ACL LIST
a ACL GETUSER ada
b AUTH ada secret
a ACL SETUSER ada >secret
b AUTH ada secret
a ACL SETUSER ada on
b AUTH ada secret
b AUTH ada wrong
b ACL WHOAMI
b PING
b GET x
a ACL SETUSER ada +ping +acl|whoami
b PING
b ACL WHOAMI
b ACL LIST
b AUTH ada wrong
b AUTH nobody x
b AUTH x
b AUTH a b c
b PING
b RESET
b ACL WHOAMI
a ACL SETUSER ada off
b AUTH ada secret
a ACL SETUSER ada on nopass
b AUTH ada anything
a ACL LIST
a ACL SETUSER ada #2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b
b AUTH ada anything
b AUTH ada secret
a ACL SETUSER ada <wrong
a ACL SETUSER ada <secret
a ACL SETUSER ada !2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b
a ACL SETUSER ada #short
a ACL SETUSER ada #2BB80D537B1DA3E38BD30361AA855686BDE0EACD7162FEF6A25FE97BF527A25B
a ACL SETUSER ada resetpass
b AUTH ada secret
a ACL SETUSER ada sanitize-payload
a ACL GETUSER ada
a ACL SETUSER ada skip-sanitize-payload
a ACL GETUSER ada
a ACL SETUSER ada reset
a ACL LIST
a ACL DELUSER default
a ACL DELUSER ada nobody
a ACL DELUSER
a ACL DELUSER ada
a ACL USERS
a ACL NOPE
a ACL HELP
a ACL CAT
a ACL CAT nothing
a ACL CAT read write
a ACL LOAD
a ACL SAVE
a ACL GENPASS 0
a ACL GENPASS 4097
a ACL GENPASS x
a ACL GENPASS 1 2
a ACL LOG x
a ACL LOG 1 2
a ACL "SETUSER" "with space" on
`,
  `
a ACL SETUSER k on nopass ~app:* %R~read:* %W~write:* +@all
a ACL GETUSER k
a ACL LIST
b AUTH k x
b SET app:1 x
b GET app:1
b SET other x
b GET other
b GET read:1
b SET read:1 x
b SET write:1 x
b GET write:1
b SET write:1 x GET
b GETSET write:1 x
b INCR write:1
b MGET app:1 read:2
b MGET app:1 write:2
b COPY read:1 write:1
b COPY write:1 read:1
b RENAME app:1 app:2
b SUNIONSTORE write:1 read:1 app:s
b EXISTS write:1
b DEL read:1
b DEL write:1
b TYPE write:1
b APPEND write:1 x
b XADD write:s 1-1 a b
b XLEN write:s
b BITFIELD read:1 GET u8 0
b BITFIELD read:1 SET u8 0 1
b SORT read:l
b SORT app:l BY w* GET #
b SORT app:l GET x*
b SORT app:l BY nosort
b SORT app:l STORE write:x
b SORT_RO app:l GET x*
b EVAL "return redis.call('GET', KEYS[1])" 1 app:1
b EVAL "return redis.call('GET', KEYS[1])" 1 other
b EVAL "return redis.call('GET', 'other')" 0
b EVAL "return redis.pcall('GET', 'other')" 0
b XREAD STREAMS app:1 other 0 0
b XREAD STREAMS other 0
b BLPOP app:1 other 0.01
b ZUNIONSTORE app:z 2 app:1 other
b GEORADIUS app:1 1 2 3 m STORE other
b OBJECT ENCODING other
b KEYS app:2
b DBSIZE
b MEMORY USAGE other
a ACL LOG
a ACL LOG 2
a ACL LOG RESET
a ACL LOG
a ACL SETUSER k ~more
a ACL SETUSER k ~*
a ACL SETUSER k ~more
a ACL SETUSER k %R~more
b GET other
a ACL SETUSER k resetkeys
b GET other
a ACL SETUSER k %RW~x %r~y %w~y
a ACL GETUSER k
a ACL SETUSER k %X~x
a ACL SETUSER k %RR~x
a ACL SETUSER k %R
a ACL SETUSER k "~a b"
a ACL LIST
`,
  `
a ACL SETUSER c on nopass ~* -@all +get +set +config|get +select|0 +@list -lpush
a ACL LIST
a ACL GETUSER c
b AUTH c x
b GET a
b SET a b
b APPEND a b
b CONFIG GET maxclients
b CONFIG SET maxclients 10
b CONFIG HELP
b CONFIG NOPE
b CONFIG
b SELECT 0
b SELECT 1
b LPUSH l a
b RPUSH l a
b LLEN l
b NOPE
b GET
b MULTI
a ACL SETUSER c +multi +exec +discard
b MULTI
b GET a
b APPEND a b
b EXEC
b MULTI
b GET a
b RPUSH l b
a ACL SETUSER c -rpush
b EXEC
b LLEN l
b MULTI
b GET a
a ACL SETUSER c -exec
b EXEC
b DISCARD
b GET a
a ACL SETUSER c +exec
b MULTI
b SET b 1
a ACL SETUSER c resetkeys ~a
b EXEC
b AUTH c x
b QUIT
a ACL LOG
a ACL SETUSER c +nope
a ACL SETUSER c +@nope
a ACL SETUSER c -nope
a ACL SETUSER c +config|nope
a ACL SETUSER c +config|get|x
a ACL SETUSER c +get|
a ACL SETUSER c -select|0
a ACL SETUSER c -config|get
a ACL GETUSER c
a ACL SETUSER c bad
a ACL SETUSER c +get bad -set
a ACL SETUSER c allcommands -@dangerous -debug
a ACL GETUSER c
a ACL SETUSER c nocommands +@read +@write -@slow
a ACL GETUSER c
a ACL SETUSER c nocommands +@hash
a ACL GETUSER c
a ACL SETUSER c +@all -config +config|get
a ACL GETUSER c
a ACL SETUSER c -@all +@all -get
a ACL GETUSER c
a ACL SETUSER c nocommands +get|a +get|b +get|A +debug|object
a ACL GETUSER c
a ACL SETUSER c +get
a ACL GETUSER c
`,
  `
a ACL SETUSER p on nopass +@all &news:* &exact
a ACL GETUSER p
b AUTH p x
b SUBSCRIBE news:1
b UNSUBSCRIBE
b SUBSCRIBE other
b PSUBSCRIBE news:*
b PSUBSCRIBE news:1*
b PUNSUBSCRIBE
b PUBLISH news:1 x
b PUBLISH other x
b SPUBLISH other x
b SSUBSCRIBE other
b EVAL "return redis.call('PUBLISH', 'other', 'x')" 0
a ACL SETUSER p &*
a ACL SETUSER p &more
a ACL SETUSER p allchannels
b SUBSCRIBE other
b UNSUBSCRIBE other
a ACL SETUSER p resetchannels
b SUBSCRIBE other
a ACL SETUSER p "&a b"
a ACL LOG 3
`,
  `
a ACL SETUSER s on nopass +get ~a "(+set ~b)" "(+@list -lpop %R~c &x)"
a ACL LIST
a ACL GETUSER s
b AUTH s x
b GET a
b GET b
b SET b x
b SET a x
b LRANGE c 0 -1
b RPUSH c x
b LPOP c
a ACL LOG
a ACL SETUSER s (+ping -@all +get ~d)
a ACL SETUSER s (+ping
a ACL SETUSER s (+nope)
a ACL SETUSER s ()
a ACL SETUSER s +ping )
a ACL GETUSER s
a ACL SETUSER s clearselectors
a ACL GETUSER s
`,
  `
a ACL SETUSER d on nopass ~x:* +get +mget +config|get &c
a ACL DRYRUN d get x:1
a ACL DRYRUN d get y
a ACL DRYRUN d mget x:1 y z
a ACL DRYRUN d set x:1 a
a ACL DRYRUN d config get a
a ACL DRYRUN d config set a b
a ACL DRYRUN d config nope
a ACL DRYRUN d config help
a ACL DRYRUN d get
a ACL DRYRUN d nope
a ACL DRYRUN nobody get a
a ACL DRYRUN d
a ACL SETUSER d +publish +psubscribe
a ACL DRYRUN d publish c m
a ACL DRYRUN d publish e m
a ACL DRYRUN d psubscribe c d
a ACL DRYRUN default flushall
a CONFIG GET acllog-max-len
a CONFIG SET requirepass secret
a CONFIG GET requirepass
a PING
b PING
b AUTH wrong
b HELLO 2 AUTH default wrong
b AUTH secret
b PING
c PING
c AUTH default secret
c PING
a ACL LIST
a CONFIG SET requirepass ""
d PING
a ACL LIST
a ACL LOG
a ACL SETUSER default off
e PING
e HELLO 2
e AUTH default x
a PING
a ACL SETUSER default on
`,
];
