// A work load for a JavaScript engine: closures, exceptions out of deep recursion, sorting, strings, patterns, JSON, generators by hand.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

function dive(depth) {
    if (depth === 0) { throw new RangeError('bottom'); }
    return 1 + dive(depth - 1);
}

function caught(times) {
    var count = 0;
    for (var i = 0; i < times; i++) {
        try { dive(i % 50); } catch (e) { count += e instanceof RangeError ? 1 : 0; } finally { count += 2; }
    }
    return count;
}

function Random(seed) { this.state = seed; }
Random.prototype.next = function () { return this.state = (this.state * 1103515245 + 12345) % 2147483648; };

// The engine's own sort chooses its pivots at random.
function merged(list, order) {
    if (list.length < 2) { return list; }
    var middle = list.length >> 1, a = merged(list.slice(0, middle), order), b = merged(list.slice(middle), order), all = [];
    while (a.length && b.length) { all.push(order(a[a.length - 1], b[b.length - 1]) > 0 ? a.pop() : b.pop()); }
    return a.concat(b, all.reverse());
}

function sorted(n) {
    var random = new Random(7), list = [];
    for (var i = 0; i < n; i++) { list.push({ key: random.next() % 1000, name: 'n' + i }); }
    return merged(list, function (a, b) { return a.key - b.key || (a.name < b.name ? -1 : 1); }).map(function (e) { return e.name; }).filter(function (name, i) { return i % 997 === 0; }).join();
}

function words(times) {
    var text = 'the quick brown fox, the lazy dog; 17 words or so ', count = {};
    for (var i = 0; i < times; i++) {
        (text + i).replace(/([a-z]+)|(\d+)/g, function (all, word) { count[word || 'number'] = (count[word || 'number'] || 0) + 1; return all.toUpperCase(); });
    }
    return JSON.stringify(count);
}

function copies(times) {
    var value = { list: [1, 2.5, 'three', null, { deep: [true, false] }], text: 'a\u00e9\n"' };
    for (var i = 0; i < times; i++) { value = JSON.parse(JSON.stringify(value)); }
    return JSON.stringify(value);
}

print(fib(29), caught(20000), sorted(50000), words(20000), copies(60000));
