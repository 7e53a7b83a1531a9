-- wrk's requests: a file with the path, the token, and a body in which %d stands for a random number below 10,000.
local head, body, wait

function init(arguments)
   local file = io.open(arguments[1])
   local path, token = file:read("l"), file:read("l")
   body = file:read("a")
   file:close()
   wait = tonumber(arguments[2] or "0")
   head = { ["Content-Type"] = "application/json" }
   if token ~= "" then head["Authorization"] = "Bearer " .. token end
   wrk.path = path
   math.randomseed(os.time() + tonumber(tostring({}):sub(8), 16))
end

function request()
   local text = body:gsub("%%d", function() return tostring(math.random(0, 9999)) end)
   return wrk.format("POST", wrk.path, head, text)
end

function delay()
   return wait > 0 and math.random(0, 2 * wait) or 0
end

function done(summary, latency)
   local failed = summary.errors.status + summary.errors.read + summary.errors.write + summary.errors.timeout
   io.write(string.format("RESULT %d %d %d %d %d\n", summary.requests, summary.duration, failed,
      latency:percentile(50), latency:percentile(99)))
end
