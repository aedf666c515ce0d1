-- For wrk: posts the requests of the file REQUESTS in turn, with the ingest key KEY, up to LIMIT of them if that is set.
-- Each request of the file is a line with path, Content-Type and length, then the body. Where a body carries `marker`,
-- every request gets 32 hexadecimal digits of its own.
local marker = "f00dfeedf00dfeedf00dfeedf00dfeed"
local random, format, concat = math.random, string.format, table.concat
local requests, turn, answered = {}, 0, 0
local limit = tonumber(os.getenv("LIMIT") or "")

local function split(text)
  local pieces, from = {}, 1
  while true do
    local first, last = text:find(marker, from, true)
    if not first then break end
    pieces[#pieces + 1] = text:sub(from, first - 1)
    pieces[#pieces + 1] = marker
    from = last + 1
  end
  pieces[#pieces + 1] = text:sub(from)
  return #pieces > 1 and pieces or text
end

init = function()
  math.randomseed(tonumber(os.getenv("SEED") or "1"))
  local key = os.getenv("KEY")
  local file = assert(io.open(os.getenv("REQUESTS"), "rb"))
  while true do
    local head = file:read("*l")
    if not head then break end
    local path, kind, length = head:match("^(%S+) (%S+) (%d+)$")
    local headers = { ["Content-Type"] = kind }
    if path:find("^/api/") then
      headers["X-Sentry-Auth"] = "Sentry sentry_version=7, sentry_key=" .. key
    else
      headers["Authorization"] = "Bearer " .. key
    end
    requests[#requests + 1] = split(wrk.format("POST", path, headers, file:read(tonumber(length))))
    file:read("*l")
  end
  file:close()
end

request = function()
  turn = turn % #requests + 1
  local request = requests[turn]
  if type(request) == "string" then return request end
  local most = 4294967295
  local id = format("%08x%08x%08x%08x", random(0, most), random(0, most), random(0, most), random(0, most))
  for index = 2, #request, 2 do request[index] = id end
  return concat(request)
end

if limit then
  local ffi = require("ffi")
  ffi.cdef("int kill(int, int); int getpid(void);")
  response = function()
    answered = answered + 1
    if answered < limit then return end
    wrk.thread:stop()
    -- As Ctrl-C: wrk sleeps until its time is over, whatever its threads do.
    ffi.C.kill(ffi.C.getpid(), 2)
  end
end
