/** A script with its keys and arguments. */
export interface ScriptCase {
  readonly script: string;
  readonly keys?: readonly string[];
  readonly args?: readonly string[];
}

/** Scripts without keys and arguments, one per line. */
const PLAIN = String.raw`
return
return 1
return nil
return true
return false
return 'text'
return ''
return 3.99
return -3.99
return 1e15
return 2^53
return 2^62
return 1e100
return -1e100
return 0/0
return 1/0
return {}
return {1,2,3}
return {1,nil,3}
return {1,2,'x',{3,{4}}}
return {true,false}
return {nil}
return {ok='fine'}
return {err='MY problem'}
return {err='single'}
return {ok='a\r\nb'}
return {err='a\r\nb'}
return {a=1,b=2}
return {double=3.5}
return {double=3}
return {map={a=1}}
return {set={a=true}}
return {big_number='123456789012345678901234567890'}
return {verbatim_string={string='hello',format='txt'}}
return {verbatim_string={string='hello'}}
return {{err='inner'},{ok='inner'}}
return function() end
return print
return redis
return 1, 2
return tostring(3)
return tostring(10/2)
return tostring(1/3)
return tostring(1e15)
return tostring(1e14)
return tostring(123456789012345)
return tostring(-0)
return tostring(2^63)
return tostring(0/0)
return tostring(-(0/0))
return tostring(1/0)
return tostring(-1/0)
return tostring(nil)..tostring(true)
return 10/2
return 7 % 3
return -7 % 3
return 7.5 % 2
return 2^10
return '10'+5
return '0x10'+0
return ' 7 '+1
return 'a'+1
return 1 .. 2
return '5'*'2'
return 10 == '10'
return 1 < '2'
return {1} < {2}
return #'abc'
return #{1,2,3,nil,5}
return #nil
return nil .. 'x'
return {} .. 'x'
local t return t.x
local t = {} return t.x.y
undefined()
local s = 'x' return s.y.z
return string.format('%d', 3.99)
return string.format('%d', '10')
return string.format('%d', 'x')
return string.format('%5.2f|%-5s|%05d|%x|%X|%o|%c|%e|%g|%q|%%', 3.14159, 'ab', 42, 255, 255, 8, 65, 12345.678, 0.0001, 'a"b\n')
return string.format('%s %s', 1, 'a')
return string.format('%i', 5)
return string.format('%s')
return string.format('%y', 1)
return string.format('%.14g', 0.1)
return string.format('%.20f', 0.1)
return string.format('%s', nil)
return string.rep('ab', 3)
return string.rep('a', -1)
return #string.rep('a', 100000)
return string.sub('hello', 2, -2)
return ('hello'):upper():lower():len()
return string.byte('abc', 1, -1)
return {string.byte('abc', 1, -1)}
return string.char(0, 255, 10)
return string.reverse('abc')
return {string.find('hello world', 'o w')}
return {string.find('hello', 'l+')}
return {string.find('a.b', '.', 1, true)}
return {string.find('abc', '(b)(c)')}
return string.match('key=value', '(%w+)=(%w+)')
return {string.match('2024-01-02', '(%d+)-(%d+)-(%d+)')}
return string.match('abc', '()b()')
return {string.gsub('hello', 'l', 'L')}
return {string.gsub('hello', '(h)(e)', '%2%1')}
return string.gsub('hello', '%w', function(c) return c..c end)
return string.gsub('$a $b', '%$(%w+)', {a='1'})
return {string.gsub('abc', '', '-')}
return string.gsub('abc', 'b', '%9')
return string.find('abc', '[a')
return string.find('abc', '%')
return string.match('THE (quick) fox', '%((%a+)%)')
return string.match('f(a(b)c)d', '%b()')
return string.gsub('THE (quick) fox', '%f[%a]%a+', 'X')
local r = {} for w in string.gmatch('one two three', '%a+') do r[#r+1] = w end return r
local r = {} for k, v in string.gfind('a=1,b=2', '(%w+)=(%w+)') do r[#r+1] = k..v end return r
return table.concat({1,2,3}, ',')
return table.concat({1,{},3}, ',')
return table.concat({1,2,3}, ',', 2, 3)
return table.getn({1,2,3})
return table.maxn({1,2,[10]=3})
local t = {1,2,3} table.insert(t, 4) table.insert(t, 1, 0) return t
local t = {1,2,3} return {table.remove(t), table.remove(t, 1), #t}
return table.remove({})
local t = {3,1,2} table.sort(t) return t
local t = {3,1,2} table.sort(t, function(a, b) return a > b end) return t
local t = {3,'a',2} table.sort(t) return t
local t = {} for i = 1, 100 do t[i] = (i * 37) % 101 end table.sort(t, function(a, b) return a < b end) return t
local t = {} for i = 1, 60 do t[i] = {i % 5, i} end table.sort(t, function(a, b) return a[1] < b[1] end) local r = {} for i, v in ipairs(t) do r[i] = v[2] end return r
local n = 0 table.foreach({1,2,3}, function(k, v) n = n + v end) return n
local n = 0 table.foreachi({1,2,3}, function(k, v) n = n + v end) return n
return {unpack({1,2,3})}
return {unpack({1,2,3}, 2)}
return select('#', 1, nil, nil)
return {select(2, 'a', 'b', 'c')}
return select(0)
return tonumber('0x1F')
return tonumber('10', 2)
return tonumber('zz', 36)
return tonumber('abc')
return tonumber('1e3')
return tonumber('')
return type(nil)
return type()
return {type(1), type('a'), type({}), type(print and 1), type(type)}
return rawget({a=1}, 'a')
return rawequal('a', 'a')
return next({})
return {next({5})}
local t = setmetatable({}, {__index=function(t, k) return k..'!' end}) return t.hey
local t = setmetatable({}, {__call=function(self, a) return a * 2 end}) return t(21)
local t = setmetatable({}, {__tostring=function() return 'me' end}) return tostring(t)
local t = setmetatable({}, {__add=function(a, b) return 'added' end}) return t + 1
local t = setmetatable({}, {__metatable='locked'}) return getmetatable(t)
local t = setmetatable({}, {__metatable='locked'}) return setmetatable(t, {})
return setmetatable(1, {})
local a, b = pcall(error, 'x') return {tostring(a), b}
local a, b = pcall(error, {code=5}) return {tostring(a), b.code}
local a, b = pcall(error) return {tostring(a), tostring(b)}
local a, b = pcall(function() error('deep') end) return b
local a, b = pcall(function() error('deep', 0) end) return b
local a, b = pcall(function() local x = nil; return x.y end) return b
local a, b = pcall(function() return undefinedname end) return b
local a, b = pcall(function() newglobal = 1 end) return b
return {pcall(function(...) return ... end, 1, 2, 3)}
return pcall()
return {xpcall(function() error('x', 0) end, function(m) return m..'!' end)}
return {xpcall(function() return 5 end, function(m) return m end)}
local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) return b * 2 end) return {select(2, coroutine.resume(co, 1)), select(2, coroutine.resume(co, 10)), coroutine.status(co)}
local f = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return {f(), f(), f()}
local co = coroutine.create(function() error('inside', 0) end) return {tostring(coroutine.resume(co)), select(2, coroutine.resume(co))}
assert(false)
assert(nil, 'my message')
assert(1 == 1) return 'ok'
return assert(5, 'unused')
error()
error(nil)
error('plain')
error('no place', 0)
error('level two', 2)
error({err='TABLE error'})
error(5)
error(true)
local function f() error('in f') end f()
local function f() error({err='ERR in f'}) end f()
return math.floor(3.7)
return math.ceil(3.2)
return tostring(math.pi)
return tostring(math.huge)
return math.max(1, 5, 3)
return math.min()
return math.fmod(7, 3)
return tostring(math.sqrt(2))
return {math.modf(3.7)}
return {math.frexp(8)}
return math.ldexp(1, 4)
return math.log10(1000)
return math.abs(-5)
return math.random(1, 100)
return {math.random(100), math.random(100), math.random(5, 10), tostring(math.random())}
math.randomseed(42) return {math.random(1000), math.random(1000)}
return math.random(0)
return math.random(5, 1)
return loadstring('return 1 + 1')()
return {loadstring('return +')}
return load(function() return nil end)
return _VERSION
return _G._G == _G
return tostring(_G.redis == redis)
return collectgarbage('count') > 0
return gcinfo() > 0
x = 1
return x
_G.x = 1
rawset(_G, 'x', 1)
rawset(redis, 'call', 1)
string.foo = 1
redis.call = nil
KEYS = {}
local function f() y = 2 end f()
return io
return debug
return require
return dofile
return loadfile
return setfenv
return getfenv
return newproxy
return module
if
return (
local 1
for i = 1, 10 do
return 'unfinished
goto x
return 1 // 2
return 1 + + 2
return "a\qb"
return [[long
break
x = = 1
return redis.call()
return redis.call({})
return redis.call(true)
return redis.call('nope')
return redis.call('get')
return redis.call('get', 'a', 'b')
return redis.call('set', 'k', 'v')
return redis.call('get', 'k')
return redis.call('get', 'missing')
return redis.call('GET', 'k') == 'v'
return redis.call('set', 'n', 5)
return redis.call('set', 'n', 5.5)
return redis.call('get', 'n')
return redis.call('set', 'n', 0.1)
return redis.call('get', 'n')
return redis.call('set', 'n', 1e20)
return redis.call('get', 'n')
return redis.call('set', 'n', 123456789012345678)
return redis.call('get', 'n')
return redis.call('del', 'n')
return redis.call('incr', 'n')
return redis.call('incr', 'n') + 1
return redis.call('lpush', 'n', 1)
return redis.pcall('lpush', 'n', 1)
return redis.pcall('lpush', 'n', 1).err
return redis.pcall('lpush', 'n', 1)['err']
return redis.pcall('nope')
return redis.pcall('nope').err
local ok, e = pcall(redis.call, 'lpush', 'n', 1) return {tostring(ok), type(e), e.err}
local ok, e = pcall(redis.call, 'nope') return e
return redis.call('set', 'k', 'v').ok
return type(redis.call('set', 'k', 'v'))
return type(redis.call('get', 'missing'))
return redis.call('get', 'missing') == false
return redis.call('rpush', 'l', 'a', 'b', 'c')
return redis.call('lrange', 'l', 0, -1)
return #redis.call('lrange', 'l', 0, -1)
return redis.call('lrange', 'l', 0, -1)[2]
return redis.call('hset', 'h', 'f', 1, 'g', 2)
return redis.call('hgetall', 'h')
return redis.call('hmget', 'h', 'f', 'none', 'g')
return type(redis.call('hmget', 'h', 'none')[1])
return redis.call('zadd', 'z', 1.5, 'a', 2, 'b')
return redis.call('zrange', 'z', 0, -1, 'withscores')
return redis.call('zscore', 'z', 'a')
return redis.call('zscore', 'z', 'a') + 1
return redis.call('type', 'z')
return redis.call('type', 'z').ok
return redis.call('exists', 'z', 'h', 'none')
return redis.call('ping')
return redis.call('echo', 'hi')
return redis.call('select', 3)
return redis.call('dbsize')
redis.call('select', 3) redis.call('set', 'there', 1) return redis.call('get', 'there')
return redis.call('get', 'there')
return redis.call('blpop', 'q', 0)
return redis.call('multi')
return redis.call('subscribe', 'c')
return redis.call('eval', 'return 1', 0)
return redis.call('script', 'load', 'return 1')
return redis.call('watch', 'k')
return redis.call('auth', 'x')
return redis.call('config', 'get', 'maxmemory')
return redis.call('publish', 'c', 'm')
return redis.call('time')[3]
return redis.call('lmpop', 1, 'none', 'LEFT')
return redis.call('blmpop', 0, 1, 'none', 'LEFT')
redis.call('set', 'k', 'v2') error('after')
return redis.call('get', 'k')
redis.setresp(3) return redis.call('hgetall', 'h')
redis.setresp(3) return redis.call('hgetall', 'h').map.f
redis.setresp(3) return redis.call('get', 'missing')
redis.setresp(3) return type(redis.call('get', 'missing'))
redis.setresp(3) return redis.call('zscore', 'z', 'a')
redis.setresp(3) return redis.call('zscore', 'z', 'a').double
redis.call('sadd', 's', 'one') redis.setresp(3) return redis.call('smembers', 's')
redis.setresp(3) return redis.call('smembers', 's').set.one
redis.setresp(3) return {true, false}
redis.setresp(3) return {map={a=true}}
redis.setresp(3) return redis.call('zrange', 'z', 0, -1, 'withscores')
redis.setresp(4)
redis.setresp()
redis.setresp('3') return 1
return redis.error_reply('abc')
return redis.error_reply('-MY error')
return redis.error_reply('MY error')
return redis.error_reply('-MY')
return redis.error_reply('')
return redis.error_reply()
return redis.error_reply(1)
return redis.error_reply('a', 'b')
return redis.error_reply('abc').err
return redis.status_reply('fine')
return redis.status_reply('')
return redis.status_reply()
return redis.status_reply('fine').ok
return redis.sha1hex('')
return redis.sha1hex('abc')
return redis.sha1hex(5)
return redis.sha1hex()
return redis.sha1hex('a', 'b')
return redis.log(redis.LOG_DEBUG, 'x')
return redis.log(9, 'x')
return redis.log('x', 'y')
return redis.log(1)
return {redis.LOG_DEBUG, redis.LOG_VERBOSE, redis.LOG_NOTICE, redis.LOG_WARNING}
return redis.replicate_commands()
return redis.set_repl(redis.REPL_ALL)
return redis.set_repl(99)
return redis.set_repl()
return redis.breakpoint()
return redis.debug('x')
return redis.acl_check_cmd('get', 'k')
return redis.acl_check_cmd('nope')
return redis.acl_check_cmd()
return redis.nosuch
return redis.nosuch()
return redis.register_function('f', function() end)
return redis.REDIS_VERSION
return redis.REDIS_VERSION_NUM
return cjson.encode({})
return cjson.encode({1,2,3})
return cjson.encode({a=1})
return cjson.encode({[1]=1,[2]=2,[4]=4})
return cjson.encode({[1]=1,[100]=2})
return cjson.encode({[1.5]=1})
return cjson.encode({[0]=1})
return cjson.encode({[-1]=1})
return cjson.encode({[true]=1})
return cjson.encode(cjson.null)
return cjson.encode({cjson.null})
return cjson.encode(nil)
return cjson.encode()
return cjson.encode(1, 2)
return cjson.encode('a"b\\c/d\n\t\127\1\r\b\f')
return cjson.encode('äöü')
return cjson.encode(1.5)
return cjson.encode(1/3)
return cjson.encode(1e20)
return cjson.encode(123456789012345)
return cjson.encode(12345678901234567)
return cjson.encode(0.00001)
return cjson.encode(-0.5)
return cjson.encode(1/0)
return cjson.encode(0/0)
return cjson.encode(function() end)
return cjson.encode({function() end})
return cjson.encode({a={b={c={1,2,{}}}}})
local t = {} for i = 1, 1001 do t = {t} end return cjson.encode(t)
return cjson.encode({one=1,two=2,three=3,four=4,five=5,six=6,seven=7})
local t = {} for i = 1, 20 do t['key'..i] = i end return cjson.encode(t)
return cjson.decode('[1,2,{"a":"b"}]')[3].a
return cjson.decode('{"a":null}').a == cjson.null
return type(cjson.null)
return cjson.decode('1.5e3')
return cjson.decode('-12')
return cjson.decode('"\\u00e4\\u20ac\\ud83d\\ude00\\n\\/"')
return cjson.decode('"\\ud83d"')
return cjson.decode('"\\x"')
return cjson.decode('"\\u12g4"')
return cjson.decode('')
return cjson.decode(' ')
return cjson.decode('{')
return cjson.decode('[1,')
return cjson.decode('[1 2]')
return cjson.decode('{"a" 1}')
return cjson.decode('{"a":1,}')
return cjson.decode('{a:1}')
return cjson.decode('[1]x')
return cjson.decode('nope')
return cjson.decode('"open')
return cjson.decode('tru')
return cjson.decode('[true,false]')[1]
return cjson.decode(5)
return cjson.decode({})
return cjson.decode()
return cjson.decode('1', '2')
return tostring(cjson.decode('nan'))
return tostring(cjson.decode('[inf]')[1])
return cjson.decode('0x10')
return cjson.decode('01')
return cjson.decode('10')
return cjson.decode('1x10')
return cjson.decode('12.')
return cjson.decode('12.5')
return cjson.decode('12e2')
return cjson.decode('12E2')
return cjson.decode('12e')
return cjson.decode('[10,200 , 3\n]')[2]
return string.format('%.17g', cjson.decode('123456789012345'))
return string.format('%.17g', cjson.decode('1234567890123456'))
return string.format('%.17g', cjson.decode('12345678901234567890'))
return cjson.decode(string.rep('[', 1001)..string.rep(']', 1001))
return cjson.decode('{"a":1,"a":2}').a
return #cjson.decode('[]')
return {cjson.encode_sparse_array()}
return {cjson.encode_max_depth(), cjson.decode_max_depth(), cjson.encode_number_precision()}
return cjson.encode_max_depth(0)
return cjson._VERSION
return cmsgpack.pack(1)
return cmsgpack.pack(127, 128, 255, 256, 65535, 65536, 4294967295, 4294967296)
return cmsgpack.pack(-1, -32, -33, -128, -129, -32768, -32769, -2147483648, -2147483649)
return cmsgpack.pack(1.5, 0.1, 1e300)
return cmsgpack.pack('a', '', string.rep('x', 31), string.rep('x', 32))
return cmsgpack.pack(true, false, nil)
return cmsgpack.pack({})
return cmsgpack.pack({1,2,3})
return cmsgpack.pack({a=1})
return cmsgpack.pack({1,nil,3})
return cmsgpack.pack(function() end)
return cmsgpack.pack()
return cmsgpack.unpack(cmsgpack.pack({1,{2,{3}}}))
return {cmsgpack.unpack(cmsgpack.pack(1, 'two', true))}
return cmsgpack.unpack(cmsgpack.pack({a={b='c'}})).a.b
return {cmsgpack.unpack_one(cmsgpack.pack(1, 2))}
return {cmsgpack.unpack_one(cmsgpack.pack(1, 2), 1)}
return {cmsgpack.unpack_limit(cmsgpack.pack(1, 2, 3), 2)}
return {cmsgpack.unpack_limit(cmsgpack.pack(1, 2, 3), 2, 1)}
return cmsgpack.unpack_limit('a', -1)
return cmsgpack.unpack_one('a', 5)
return cmsgpack.unpack('\195\196\197')
return cmsgpack.unpack('\145')
return cmsgpack.unpack('')
return cmsgpack.unpack(5)
return cmsgpack.unpack('\207\0\0\0\0\0\0\1\0')
return bit.band(0xff, 0x0f)
return bit.bor(1, 2, 4)
return bit.bxor(0xff, 0x0f)
return bit.bnot(0)
return bit.lshift(1, 31)
return bit.lshift(1, 33)
return bit.rshift(-1, 28)
return bit.arshift(-256, 4)
return bit.rol(0x12345678, 8)
return bit.ror(0x12345678, 8)
return bit.bswap(0x12345678)
return bit.tohex(255)
return bit.tohex(255, 4)
return bit.tohex(-1, -4)
return bit.tobit(2^32 + 5)
return bit.tobit(1.5)
return bit.tobit(2.5)
return bit.band('x')
return bit.band()
return bit.bnot('5')
return struct.pack('>I2', 258)
return struct.pack('<I4', 258)
return struct.pack('bBhHlLiI', 1, 2, 3, 4, 5, 6, 7, 8)
return struct.pack('>d', 1.5)
return struct.pack('<f', 1.5)
return struct.pack('s', 'abc')
return struct.pack('c2', 'abc')
return struct.pack('c5', 'abc')
return struct.pack('c0', 'abc')
return struct.pack('!4 b i', 1, 2)
return struct.pack('xbx', 1)
return struct.pack('I8', -1)
return struct.pack('z')
return struct.pack('i')
return {struct.unpack('>I2I2', '\1\2\3\4')}
return {struct.unpack('<i2', '\255\255')}
return {struct.unpack('b', '\255')}
return {struct.unpack('s', 'abc\0def')}
return {struct.unpack('c3', 'abcdef')}
return {struct.unpack('bc0', '\3abcdef')}
return {struct.unpack('>d', struct.pack('>d', 1.25))}
return {struct.unpack('b', 'abc', 3)}
return struct.unpack('i4', 'ab')
return struct.unpack('s', 'abc')
return struct.unpack('b', 'a', 0)
return struct.size('i4i8b')
return struct.size('!8 b d')
return struct.size('s')
return struct.size('c10')
return KEYS[1]
return ARGV[1]
return #KEYS + #ARGV
return {KEYS, ARGV}
local n = 0 for i = 1, 100000 do n = n + i end return n
local t = {} for i = 1, 10 do t[#t + 1] = i * i end return t
local a, b = 1, 2 a, b = b, a return {a, b}
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(15)
return (function(...) return select('#', ...) end)(1, 2, 3)
local s = 0 for k, v in pairs({a=1, b=2, c=3}) do s = s + v end return s
local s = '' for i, v in ipairs({'a', 'b', nil, 'd'}) do s = s .. v end return s
local i = 0 while true do i = i + 1 if i > 5 then break end end return i
local i = 0 repeat i = i + 1 until i >= 3 return i
for i = 3, 1, -1 do if i == 2 then return i end end
for i = 1, 'x' do end
local t = {} t[nil] = 1
local t = {} t[0/0] = 1
return #5
return -{}
local function f() return f() end return 1
return tostring(0.1 + 0.2)
return 0.1 + 0.2 == 0.3
return 1e308 * 10
return tonumber('  12  ')
return tostring(1e300 * 1e10)
return 5 and 6 or 7
return nil and 1
return not nil
return 'a' < 'b'
return 'Z' < 'a'
return '\0' < 'a'
return #'\0\0'
return "a\065b\10c"
return [[
 line]]
return [==[a]]b]==]
--[[ comment ]] return 1 -- end
return tostring(print == nil)
local t = {10, 20, 30, nil} return #t
local t = {n=1, [1]='x', 'y'} return t[1]
return ({1,2,3})[2]
return ("x"):rep(3)
return #arg
local function v(...) return arg.n end return v(1, 2)
local function v(...) local a = {...} return #a end return v(1, 2, 3)
`;

/** Scripts with keys and arguments, and those of several lines. */
const OTHERS: readonly ScriptCase[] = [
  { script: 'return {KEYS[1],KEYS[2],ARGV[1],ARGV[2]}', keys: ['a', 'b'], args: ['c', 'd'] },
  { script: 'return {KEYS[1],KEYS[3],ARGV[1]}', keys: ['a', 'b'], args: ['c'] },
  { script: 'return #ARGV[1]', args: ['ä\u0000b'] },
  { script: 'return ARGV[1]', args: ['\u0000\u0001\r\n'] },
  { script: 'return string.byte(ARGV[1], 1, 2)', args: ['ä'] },
  { script: 'return ARGV[1] + ARGV[2]', args: ['1', '2'] },
  { script: 'return tonumber(ARGV[1])', args: ['1.9'] },
  {
    script: "redis.call('set', KEYS[1], ARGV[1]) return redis.call('get', KEYS[1])",
    keys: ['k'],
    args: ['ä\r\n'],
  },
  { script: "return redis.call('mget', unpack(KEYS))", keys: ['k', 'none', 'k'] },
  { script: "\n\nreturn redis.call('nope')" },
  { script: "local x = 1\nerror('line two')" },
  { script: 'local x = 1\nlocal y = x +\nreturn y' },
  { script: 'local function f()\n  error({err="E at two"})\nend\n\nf()' },
  { script: '#!lua\nreturn 1' },
  { script: "#!lua flags=no-writes\nreturn redis.call('set', 'a', 1)" },
  { script: '#!lua flags=nope\nreturn 1' },
  { script: '#!lua flags=allow-oom,no-writes\nreturn 1' },
  { script: '#!other\nreturn 1' },
  { script: '#!lua nope\nreturn 1' },
  { script: '#!lua' },
  { script: '#!lua\nerror("second line")' },
  {
    // A lock that is released by its owner alone.
    script: 'if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end',
    keys: ['k'],
    args: ['x'],
  },
  {
    script:
      "local current = redis.call('INCR', KEYS[1])\nif current == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end\nreturn {current, redis.call('TTL', KEYS[1])}",
    keys: ['rate'],
    args: ['100'],
  },
  {
    script: "local r = {} for i, k in ipairs(KEYS) do r[i] = redis.call('type', k).ok end return r",
    keys: ['k', 'l', 'h', 'z', 's', 'none'],
  },
];

/** What is evaluated by both servers, one behind the other, and answered by both with the same bytes. */
export const SCRIPT_CASES: readonly ScriptCase[] = [
  ...PLAIN.split('\n')
    .filter((line) => line !== '')
    .map((script) => ({ script })),
  ...OTHERS,
];
