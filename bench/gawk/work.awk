# A work load for awk: fields, patterns, strings of all kinds, arrays and their sorting, recursive functions, numbers in and out.
# It reads text (here: C sources) and prints a sum of each part.

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }

function reverse(s,    i, out) {
	for (i = length(s); i > 0; i--)
		out = out substr(s, i, 1)
	return out
}

function hash(s,    i, h) {
	for (i = 1; i <= length(s); i++)
		h = (h * 31 + index("abcdefghijklmnopqrstuvwxyz_", substr(s, i, 1))) % 65521
	return h
}

function quicksort(a, low, high,    i, last, t) {
	if (low >= high)
		return
	last = low
	for (i = low + 1; i <= high; i++)
		if (a[i] < a[low]) {
			t = a[++last]; a[last] = a[i]; a[i] = t
		}
	t = a[low]; a[low] = a[last]; a[last] = t
	quicksort(a, low, last - 1)
	quicksort(a, last + 1, high)
}

{
	lines++
	chars += length($0)
	words += NF
	for (i = 1; i <= NF; i++)
		seen[tolower($i)]++
}
/^[ \t]*(if|while|for|switch)[ \t]*\(/ { branches++ }
/[a-z_]+\(.*\)[ \t]*\{?$/ && !/;/ { heads++ }
match($0, /0x[0-9a-fA-F]+/) { hex += strtonum(substr($0, RSTART, RLENGTH)) % 1000 }
NF > 3 { $2 = toupper($2); rebuilt += length($0) }
FNR % 7 == 0 { n = split($0, part, /[^A-Za-z0-9_]+/); for (i = 1; i <= n; i++) hashes = (hashes + hash(tolower(part[i]))) % 1000003 }
FNR % 11 == 0 { line = $0; swaps += gsub(/[aeiou]/, "<&>", line); back += length(reverse(line)) }
FNR % 50 == 0 { out = out sprintf("%5d %-10.3s|%x %g\n", FNR, $1, NF, length($0) / 3); if (length(out) > 4000) out = substr(out, 2000) }

END {
	print "lines", lines, "chars", chars, "words", words, "branches", branches, "heads", heads, "hex", hex
	print "rebuilt", rebuilt, "hashes", hashes, "swaps", swaps, "back", back, "out", length(out)
	for (w in seen)
		if (seen[w] > 20)
			many[++count] = w
	quicksort(many, 1, count)
	for (i = 1; i <= count; i++)
		sum = (sum * 7 + hash(many[i]) * seen[many[i]]) % 1000003
	print "words seen often", count, "sum", sum, "first", many[1], "last", many[count]
	print "fib", fib(22)
}
