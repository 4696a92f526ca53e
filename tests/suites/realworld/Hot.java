/** Work of methods that the just-in-time compiler makes code of: strings, hash tables, numbers. */
import java.util.HashMap;
import java.util.Map;

public class Hot {
	static long sieve(int n) {
		boolean[] out = new boolean[n + 1];
		long sum = 0;
		for (int i = 2; i <= n; i++) {
			if (!out[i]) {
				sum += i;
				for (long k = (long) i * i; k <= n; k += i) out[(int) k] = true;
			}
		}
		return sum;
	}

	static int words(int n) {
		Map<String, Integer> counts = new HashMap<>();
		for (int i = 0; i < n; i++) counts.merge("w" + (i * 31L % 4099), 1, Integer::sum);
		return counts.size();
	}

	static double series(int n) {
		double sum = 0;
		for (int i = 1; i <= n; i++) sum += 1.0 / ((double) i * i + sum);
		return sum;
	}

	public static void main(String[] args) {
		long primes = 0;
		int different = 0;
		double sum = 0;
		for (int i = 0; i < 40; i++) {
			primes += sieve(2_000_000 + i);
			different += words(200_000);
			sum += series(5_000_000);
		}
		System.out.println(primes + " " + different + " " + Math.round(sum));
	}
}
