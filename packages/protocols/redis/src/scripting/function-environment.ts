/**
 * The globals of libraries of functions: while a library is loaded it sees `redis` alone, with what registers functions,
 * and when a function is called what scripts see. It is called with the globals of scripts and the table for loading.
 */
export const FUNCTION_ENVIRONMENT = `
local globals, api = ...
local setmetatable, error, tostring = setmetatable, error, tostring
local function missing(_, name)
  error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
end
local function readonly()
  error('Attempt to modify a readonly table', 2)
end
local strict = { __index = missing }
local function protect(t)
  return setmetatable({}, { __index = setmetatable(t, strict), __newindex = readonly, __metatable = false })
end
local loading = setmetatable({ redis = protect(api) }, strict)
local meta = { __index = globals, __newindex = readonly, __metatable = false }
return setmetatable({}, meta), function(isLoading)
  meta.__index = isLoading and loading or globals
end
`;
