-- For wrk: posts the requests of the file REQUESTS in turn, up to LIMIT of them if set, with the ingest key KEY, or
-- with several keys in turn. Each request in the file is a line with path, Content-Type and length, then the body. In a
-- body with `id_mark`, every request gets its own 32 hexadecimal digits.
local id_mark, key_mark = "f00dfeedf00dfeedf00dfeedf00dfeed", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
local random, format, concat = math.random, string.format, table.concat
local requests, keys, turn, sent, answered = {}, {}, 0, 0, 0
local limit = tonumber(os.getenv("LIMIT") or "")

-- The text split at each mark; the text itself if it has no mark.
local function split(text)
  local pieces, from = {}, 1
  while true do
    local id, key = text:find(id_mark, from, true), text:find(key_mark, from, true)
    local first = id and key and math.min(id, key) or id or key
    if not first then break end
    pieces[#pieces + 1] = text:sub(from, first - 1)
    pieces[#pieces + 1] = first == id and id_mark or key_mark
    from = first + #id_mark
  end
  pieces[#pieces + 1] = text:sub(from)
  local slots = {}
  for index = 2, #pieces, 2 do slots[index] = pieces[index] == key_mark end
  return #pieces > 1 and { pieces = pieces, slots = slots } or text
end

init = function()
  math.randomseed(tonumber(os.getenv("SEED") or "1"))
  for key in os.getenv("KEY"):gmatch("[^,]+") do keys[#keys + 1] = key end
  local key = #keys == 1 and keys[1] or key_mark
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
  sent = sent + 1
  local request = requests[turn]
  if type(request) == "string" then return request end
  local most = 4294967295
  local id = format("%08x%08x%08x%08x", random(0, most), random(0, most), random(0, most), random(0, most))
  local key = keys[sent % #keys + 1]
  for index, is_key in pairs(request.slots) do request.pieces[index] = is_key and key or id end
  return concat(request.pieces)
end

if limit then
  local ffi = require("ffi")
  ffi.cdef("int kill(int, int); int getpid(void);")
  response = function()
    answered = answered + 1
    if answered < limit then return end
    wrk.thread:stop()
    -- Like Ctrl-C, because wrk sleeps until its time is over, whatever its threads do.
    ffi.C.kill(ffi.C.getpid(), 2)
  end
end
