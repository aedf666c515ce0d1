-- For wrk: posts the files of the folder BODIES in turn, with the ingest key KEY.
local requests, turn = {}, 0

init = function()
  local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. os.getenv("KEY") }
  for path in io.popen('ls "' .. os.getenv("BODIES") .. '"/*'):lines() do
    local file = assert(io.open(path, "rb"))
    requests[#requests + 1] = wrk.format("POST", nil, headers, file:read("*a"))
    file:close()
  end
end

request = function()
  turn = turn % #requests + 1
  return requests[turn]
end
