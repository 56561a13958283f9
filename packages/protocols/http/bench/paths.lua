-- Asks for one path after the other, in an order without pattern; the paths come from a file, one per line.
local paths = {}

function init(args)
  for line in io.lines(args[1]) do
    paths[#paths + 1] = wrk.format("GET", line)
  end
  math.randomseed(1)
end

function request()
  return paths[math.random(#paths)]
end
