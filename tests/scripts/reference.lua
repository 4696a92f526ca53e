-- reference.lua SCRIPT: runs it, and counts by Lua's own hook, of each coroutine too.  Then a line for each function: its calls, its place or name.
local counts, names = {}, {}
local getinfo, sethook, create, resume, unpack, format, cerror, status = debug.getinfo, debug.sethook, coroutine.create, coroutine.resume, table.unpack, string.format, error, coroutine.status
for module, content in pairs(package.loaded) do
	for name, value in pairs(content) do
		if type(value) == "function" then names[value] = module == "_G" and name or names[value] or module .. "." .. name end
	end
end
local off = false
local function hook()
	local i = getinfo(2, "Sf")
	if off or i.source:match("reference") then return end
	local key = i.what == "C" and names[i.func] or i.what ~= "C" and i.short_src .. ":" .. i.linedefined
	if key then counts[key] = (counts[key] or 0) + 1 end
end
coroutine.create = function(f) off = true local co = create(f) sethook(co, hook, "c") off = false return co end
coroutine.wrap = function(f)
	off = true
	local co = create(f)
	sethook(co, hook, "c")
	off = false
	return function(...)
		off = true
		local function pass(ok, ...) if not ok then cerror((...), 0) end return ... end
		off = false
		return pass(resume(co, ...))
	end
end
local script = assert(loadfile(arg[1]))
sethook(hook, "c")
script()
sethook()
for key, n in pairs(counts) do io.stderr:write(n, " ", key, "\n") end
