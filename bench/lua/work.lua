-- A work load for the Lua interpreter: every part of it does something that
-- real scripts do, through the parser, the machine, the tables, the strings,
-- the collector, coroutines and protected calls (which leave C frames by
-- longjmp).  work.lua N does it N times and prints one check sum for each part.

local rounds = tonumber(arg and arg[1]) or 1

local function random(seed)
    local state = seed
    return function(n)
        state = (state * 1103515245 + 12345) % 2147483648
        return state // 65536 % n
    end
end

local function sorting()
    local next, items = random(7), {}
    for i = 1, 20000 do items[i] = next(1000000) end
    table.sort(items, function(a, b) return a > b end)
    local sum = 0
    for i, item in ipairs(items) do sum = (sum * 31 + item * i) % 1000003 end
    return sum
end

local function queens(n)
    local columns, up, down, found = {}, {}, {}, 0
    local function place(row)
        if row > n then found = found + 1; return end
        for column = 1, n do
            if not (columns[column] or up[row + column] or down[row - column]) then
                columns[column], up[row + column], down[row - column] = true, true, true
                place(row + 1)
                columns[column], up[row + column], down[row - column] = nil, nil, nil
            end
        end
    end
    place(1)
    return found
end

local function words()
    local next, text = random(11), {}
    for i = 1, 20000 do text[i] = string.format("%s%d", string.char(97 + next(26), 97 + next(26)), next(30)) end
    local count, keys = {}, {}
    for word in table.concat(text, " "):gmatch("%a+%d+") do
        if not count[word] then keys[#keys + 1] = word end
        count[word] = (count[word] or 0) + 1
    end
    table.sort(keys)
    local swapped = table.concat(keys, ","):gsub("(%a)(%a)", "%2%1"):upper():reverse()
    return #swapped * 1000 + count[keys[1]]
end

local function errors()
    local caught = 0
    local function descend(depth)
        if depth == 0 then error({ code = 3 }) end
        local ok, problem = pcall(descend, depth - 1)
        if not ok and depth % 2 == 0 then error(problem, 0) end
        return ok
    end
    for _ = 1, 1500 do
        local ok, problem = pcall(descend, 9)
        caught = caught + (ok and 1 or problem.code)
    end
    return caught
end

local function generators()
    local function count(n)
        return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end)
    end
    local function filter(divisor, source)
        return coroutine.wrap(function()
            for value in source do
                if value % divisor ~= 0 then coroutine.yield(value) end
            end
        end)
    end
    local source, sum = count(500), 0
    source() -- one is no prime
    while true do
        local prime = source()
        if not prime then break end
        sum = sum + prime
        source = filter(prime, source)
    end
    return sum
end

local Point = {}
Point.__index = Point
Point.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, Point) end
Point.__eq = function(a, b) return a.x == b.x and a.y == b.y end
function Point:norm() return self.x * self.x + self.y * self.y end

local function objects()
    local sum = setmetatable({ x = 0, y = 0 }, Point)
    local equal = 0
    for i = 1, 100000 do
        local point = setmetatable({ x = i % 7, y = i % 11 }, Point)
        sum = sum + point
        if point == sum then equal = equal + 1 end
    end
    return sum:norm() % 1000003 + equal
end

local function sources()
    local sum = 0
    for i = 1, 5000 do
        local chunk = load(string.format(
            "local a, b = %d, {x = %d; y = {1, 2, 3}} local function f(n) if n < 2 then return n end " ..
            "return f(n - 1) + f(n - 2) end for _, v in ipairs(b.y) do a = a + v end return a + b.x + f(5)", i, i * 2))
        sum = sum + chunk()
    end
    return sum
end

local parts = {
    { "sorting", sorting }, { "queens", function() return queens(8) end }, { "words", words },
    { "errors", errors }, { "generators", generators }, { "objects", objects }, { "sources", sources },
}

for _ = 1, rounds do
    for _, part in ipairs(parts) do print(part[1], part[2]()) end
end
