-- Sends one request after the other, in an order without pattern; they come from a file, each a line of fields that tabs
-- part: method, path, content type (or nothing) and body.
local requests = {}

function init(args)
  for line in io.lines(args[1]) do
    local method, path, content, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
    local headers = {}
    if content ~= "" then headers["Content-Type"] = content end
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
  math.randomseed(1)
end

function request()
  return requests[math.random(#requests)]
end
