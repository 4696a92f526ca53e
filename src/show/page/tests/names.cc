// names.cc - a program whose names are long: expressions as types, of which the longest have several thousand characters; instances and overloads that only
// their arguments tell apart; and what the standard library makes of them.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace expression {

struct value {
	double x;
	double at(long i) const { return x + static_cast<double>(i); }
};

template <class L, class R> struct sum {
	L left;
	R right;
	__attribute__((noinline)) double at(long i) const { return left.at(i) + right.at(i); }
};

template <class L, class R> struct product {
	L left;
	R right;
	__attribute__((noinline)) double at(long i) const { return left.at(i) * right.at(i); }
};

template <class E, int N> struct grown {
	using smaller = typename grown<E, N - 1>::type;
	using type = sum<product<smaller, value>, smaller>;
	static type make() { return { { grown<E, N - 1>::make(), { 0.5 } }, grown<E, N - 1>::make() }; }
};

template <class E> struct grown<E, 0> {
	using type = E;
	static type make() { return {}; }
};

template <class E> __attribute__((noinline)) double evaluate(const E &e, long n)
{
	double all = 0;

	for (long i = 0; i < n; i++)
		all += e.at(i);
	return all;
}

}

namespace shop {

struct item { std::string name; int price; };

class stock {
public:
	__attribute__((noinline)) void add(const std::string &name) { add(name, 1); }
	__attribute__((noinline)) void add(const std::string &name, int n) { items[name] += n; }
	__attribute__((noinline)) int total() const
	{
		int n = 0;
		std::for_each(items.begin(), items.end(), [&n](const std::pair<const std::string, int> &i) { n += i.second; });
		return n;
	}
private:
	std::map<std::string, int> items;
};

// Of one name, told apart by a number alone.
template <int N> __attribute__((noinline)) unsigned mix(unsigned x)
{
	for (int i = 0; i < 400000; i++)
		x = x * (2 * N + 1) + (x >> N);
	return x;
}

template <class T> __attribute__((noinline)) void sorted(std::vector<T> &v, const std::function<bool(const T &, const T &)> &less)
{
	std::sort(v.begin(), v.end(), less);
}

}

int main()
{
	shop::stock stock;
	std::vector<int> numbers;
	std::vector<std::string> words;
	double all = expression::evaluate(expression::grown<expression::value, 6>::make(), 60000)
		+ expression::evaluate(expression::grown<expression::value, 2>::make(), 600000);

	for (int i = 0; i < 20000; i++) {
		stock.add(std::to_string(i * 7919 % 1000));
		numbers.push_back(i * 7919 % 20011);
		words.push_back(std::to_string(i * 7919 % 20011));
	}
	shop::sorted<int>(numbers, [](const int &a, const int &b) { return a < b; });
	shop::sorted<std::string>(words, [](const std::string &a, const std::string &b) { return a < b; });
	for (unsigned i = 0; i < 60; i++)
		all += shop::mix<1>(i) + shop::mix<2>(i) + shop::mix<3>(i) + shop::mix<4>(i) + shop::mix<5>(i) + shop::mix<6>(i);
	return all + stock.total() > 0 ? 0 : 1;
}
