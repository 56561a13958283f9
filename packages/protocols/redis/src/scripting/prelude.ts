/**
 * What is made ready inside of Lua before the first script: the libraries that a script sees, none of which it can
 * change; and those functions that call others, so that a script is paused within them as well. It is called with the
 * functions of the host and the libraries, and gives the globals that scripts see, and the table behind those.
 */
export const PRELUDE = `
local host, libraries = ...
local error, type, select, tonumber, setmetatable = error, type, select, tonumber, setmetatable
local rawget, unpack = rawget, unpack

-- Coroutines: a thread that is paused pauses those that have resumed it, too.
local create, resume, status, yield = coroutine.create, coroutine.resume, coroutine.status, coroutine.yield
local enter, leave = host.enter, host.leave
local again
local function settle(co, ...)
  if leave() then return again(co, yield()) end
  return ...
end
function again(co, ...)
  enter(co)
  return settle(co, resume(co, ...))
end
function coroutine.resume(co, ...)
  if type(co) ~= 'thread' then return resume(co, ...) end
  return again(co, ...)
end
local function unwrap(ok, ...)
  if ok then return ... end
  local message = ...
  error(message, 0)
end
function coroutine.wrap(f)
  local co = create(f)
  return function(...) return unwrap(again(co, ...)) end
end
local function untilDead(co, ok, ...)
  if ok and status(co) == 'suspended' then return untilDead(co, again(co, yield(...))) end
  return ok, ...
end
local function call(f, ...)
  return f(...)
end
local cpcall, iscfunction, command = pcall, host.iscfunction, libraries.redis.call
-- An error that is a table with a text is that text for who catches it.
local function caught(ok, ...)
  if ok then return ok, ... end
  local problem = ...
  if type(problem) == 'table' and type(rawget(problem, 'err')) == 'string' then return false, problem.err end
  return false, problem
end
function pcall(f, ...)
  -- A function of C is quick, apart from that which carries out commands.
  if f ~= command and (type(f) ~= 'function' or iscfunction(f)) then return caught(cpcall(f, ...)) end
  local co = create(call)
  return caught(untilDead(co, again(co, f, ...)))
end
local function handle(handler, ok, ...)
  if ok then return ok, ... end
  return false, handler(...)
end
local pcall = pcall
function xpcall(f, handler)
  return handle(handler, pcall(f))
end

-- The sort of Lua 5.1 (a quicksort from the median of three), which is paused within its order.
local sort = table.sort
local function auxsort(t, l, u, less)
  while l < u do
    if less(t[u], t[l]) then t[l], t[u] = t[u], t[l] end
    if u - l == 1 then break end
    local i = (l + u - (l + u) % 2) / 2
    if less(t[i], t[l]) then
      t[i], t[l] = t[l], t[i]
    elseif less(t[u], t[i]) then
      t[i], t[u] = t[u], t[i]
    end
    if u - l == 2 then break end
    local pivot = t[i]
    t[i], t[u - 1] = t[u - 1], t[i]
    i = l
    local j = u - 1
    while true do
      i = i + 1
      while less(t[i], pivot) do
        if i > u then error('invalid order function for sorting', 0) end
        i = i + 1
      end
      j = j - 1
      while less(pivot, t[j]) do
        if j < l then error('invalid order function for sorting', 0) end
        j = j - 1
      end
      if j < i then break end
      t[i], t[j] = t[j], t[i]
    end
    t[u - 1], t[i] = t[i], t[u - 1]
    if i - l < u - i then
      auxsort(t, l, i - 1, less)
      l = i + 1
    else
      auxsort(t, i + 1, u, less)
      u = i - 1
    end
  end
end
local function isLess(a, b) return a < b end
function table.sort(t, less)
  if type(t) ~= 'table' or (less ~= nil and type(less) ~= 'function') or (less == nil and #t < 5000) then
    sort(t, less)
    return
  end
  auxsort(t, 1, #t, less or isLess)
end

-- What would take long within one call is done by the host, or step by step.
local rep = string.rep
function string.rep(s, n)
  local times = tonumber(n)
  if type(s) == 'string' and times and #s * times > 65536 then return host.rep(s, times) end
  local text = rep(s, n)
  return text
end
string.find, string.match, string.gmatch, string.gsub =
  host.guard(string.find, string.match, string.gmatch, string.gsub)
string.gfind = string.gmatch
local collect = collectgarbage
function collectgarbage(what, ...)
  if what == nil or what == 'collect' then
    collect('step', 100)
    return 0
  end
  local result = collect(what, ...)
  return result
end
-- Compiled chunks could break the machine: texts alone are loaded.
local loadtext = loadstring
function loadstring(text, name)
  if type(text) == 'string' and text:sub(1, 1) == '\\27' then return nil, 'only texts can be loaded' end
  local chunk, problem = loadtext(text, name)
  return chunk, problem
end
local concat = table.concat
function load(read, name)
  local parts = {}
  while true do
    local part = read()
    if part == nil or part == '' then break end
    if type(part) ~= 'string' then return nil, 'reader function must return a string' end
    parts[#parts + 1] = part
  end
  return loadstring(concat(parts), name or '=(load)')
end

local real = {}
local function readonly()
  error('Attempt to modify a readonly table', 2)
end
local function protect(library)
  local shown = setmetatable({}, { __index = library, __newindex = readonly, __metatable = false })
  real[shown] = library
  return shown
end
local set = rawset
function rawset(t, key, value)
  if real[t] then error('Attempt to modify a readonly table', 0) end
  set(t, key, value)
  return t
end
local change = setmetatable
function setmetatable(t, mt)
  if real[t] then error('Attempt to modify a readonly table', 0) end
  change(t, mt)
  return t
end
local all, after = pairs, next
function pairs(t)
  local library = real[t]
  if library then return after, library, nil end
  local f, s, c = all(t)
  return f, s, c
end
getmetatable('').__metatable = false

local names = {
  'assert', 'collectgarbage', 'error', 'gcinfo', 'getmetatable', 'ipairs', 'load', 'loadstring', 'next', 'pairs',
  'pcall', 'rawequal', 'rawget', 'rawset', 'select', 'setmetatable', 'tonumber', 'tostring', 'type', 'unpack', 'xpcall',
  '_VERSION',
}
local globals = {}
for _, name in ipairs(names) do globals[name] = _G[name] end
for _, name in ipairs({ 'string', 'table', 'math', 'coroutine' }) do globals[name] = protect(_G[name]) end
for name, library in all(libraries) do globals[name] = protect(library) end
change(globals, {
  __index = function(_, name)
    -- The chunk that asks stands three levels up: this function was called for the globals it sees.
    error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
  end,
})
local shown = protect(globals)
globals._G = shown
return shown, globals
`;
