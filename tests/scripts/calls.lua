-- Every way in which Lua calls and leaves functions; prints what it computed.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function even(n) if n == 0 then return true end return (function(m) return m == 0 end)(n) or odd(n - 1) end
function odd(n) if n == 0 then return false end return even(n - 1) end
local function down(n) if n == 0 then return "bottom" end return down(n - 1) end     -- tail calls

local Account = {}
Account.__index = Account
function Account.new(sum) return setmetatable({ sum = sum }, Account) end
function Account:add(n) self.sum = self.sum + n return self end
Account.__add = function(a, b) return Account.new(a.sum + b.sum) end
Account.__lt = function(a, b) return a.sum < b.sum end
Account.__tostring = function(a) return "account " .. a.sum end
Account.__close = function(a) a.sum = -1 end
Account.__call = function(a, n) return a:add(n) end

local function thrower(depth) if depth == 0 then error({ "thrown" }) end thrower(depth - 1) return depth end
local function guard(depth) local ok, why = pcall(thrower, depth) return ok, type(why) end

local function range(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local function walk(n) if n > 0 then coroutine.yield(n) walk(n - 1) walk(n - 1) end end
local function tree(n) local co = coroutine.create(walk) local sum = 0
	while true do local ok, v = coroutine.resume(co, n) if not v then return sum end sum = sum + v end
end
local function fails() local co = coroutine.create(function(a) local b = coroutine.yield(a) error(b) end)
	coroutine.resume(co, 1) return coroutine.resume(co, 2)
end
local function nested() local inner = coroutine.wrap(function() for i in range(3) do coroutine.yield(i * i) end end)
	return inner() + inner() + inner()
end
local function yields_in_pcall() local co = coroutine.wrap(function() pcall(function() coroutine.yield(1) error("x") end) return 2 end)
	return co() + co()
end
local function closes() local c = Account.new(1) do local x <close> = c end return c.sum end

print(fib(15), even(10), down(50))
local a = Account.new(1):add(2) + Account.new(3)
print(tostring(a), Account.new(1) < a, a(5).sum)
for i = 1, 20 do guard(i % 5) end
print(guard(3))
local sum = 0
for i in range(100) do sum = sum + i end
print(sum, tree(6), fails())
print(nested(), yields_in_pcall(), closes())
local words = {}
for w in ("the quick brown fox jumps"):gmatch("%a+") do words[#words + 1] = w end
table.sort(words, function(x, y) return x < y end)
print(table.concat(words, " "), (("abc"):gsub(".", function(c) return c:upper() end)))
for i = 1, 20 do load("local function f() return " .. i .. " end return f()")() if i % 5 == 0 then collectgarbage() end end
print(select("#", xpcall(thrower, function(e) return e end, 2)), pcall(string.rep), (pcall(load("error()"))))
print(pcall(function() local t = setmetatable({}, { __index = function(t, k) return k * 2 end }) return t[21] end))
