-- Posts one body after the other, in an order without pattern; the bodies come from a file, one per line.
local requests = {}

function init(args)
  local headers = { ["Content-Type"] = "application/json" }
  for line in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", "/graphql", headers, line)
  end
  math.randomseed(1)
end

function request()
  return requests[math.random(#requests)]
end
