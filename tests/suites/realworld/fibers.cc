// Boost.Fiber as Debian has it, in shared libraries: makers, workers and a sink, by channels, in two threads' schedulers.
#include <boost/fiber/all.hpp>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace fibers = boost::fibers;
using channel = fibers::buffered_channel<std::uint64_t>;
#define OWN __attribute__((noinline))

OWN static std::uint64_t mix(std::uint64_t x, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

OWN static std::uint64_t produce(std::uint64_t i) { return mix(i + 1, 300) | 1; }
OWN static std::uint64_t refine(std::uint64_t x) { return mix(x, 900) | 1; }
OWN static std::uint64_t deepen(std::uint64_t x, int depth)
{
	boost::this_fiber::yield();
	return depth ? mix(deepen(x, depth - 1), 60) : x;
}

OWN static void make(channel &out, std::uint64_t first)
{
	for (std::uint64_t i = first; i < first + 40000; i++)
		out.push(produce(i));
}

OWN static void work(channel &in, channel &out)
{
	std::uint64_t x;

	while (in.pop(x) == fibers::channel_op_status::success)
		out.push(deepen(refine(x), 4));
}

OWN static std::uint64_t pipeline(std::uint64_t seed)
{
	channel raw(16), fine(16);
	std::uint64_t sum = 0, x;
	std::vector<fibers::fiber> makers, workers;

	for (int i = 0; i < 3; i++)
		makers.emplace_back([&raw, seed, i] { make(raw, seed + i * 100000); });
	for (int i = 0; i < 5; i++)
		workers.emplace_back([&raw, &fine] { work(raw, fine); });
	fibers::fiber sink([&] { while (fine.pop(x) == fibers::channel_op_status::success) sum += mix(x, 30); });
	for (auto &fiber : makers)
		fiber.join();
	raw.close();
	for (auto &fiber : workers)
		fiber.join();
	fine.close();
	sink.join();
	return sum;
}

int main()
{
	std::uint64_t other = 0;
	std::thread thread([&other] { other = pipeline(1000000); });
	std::uint64_t own = pipeline(7);

	thread.join();
	std::printf("%llx %llx\n", (unsigned long long)own, (unsigned long long)other);
}
