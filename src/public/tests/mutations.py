#!/usr/bin/env python3
"""mutations.py TARGET ROUNDS KEPT FILE... - fuzz_public over FILES, a gmon.out, and what real profilers wrote (tests/import/corpus/kept): as a driver;
SECONDSs in the place of ROUNDS: as libFuzzer's target."""
import gzip, lzma, pathlib, struct, subprocess, sys, tempfile


def gmon():
    """Samples and arcs, at addresses where a program may have something."""
    bins = [1, 0, 7, 3] * 64
    histogram = struct.pack("<BQQii15sc", 0, 0x1000, 0x3000, len(bins), 100, b"seconds", b"s") + struct.pack(f"<{len(bins)}H", *bins)
    arcs = b"".join(struct.pack("<BQQi", 1, 0x1000 + 64 * i, 0x1800 + 32 * i, i) for i in range(20))
    return b"gmon" + struct.pack("<i12x", 1) + histogram + arcs


def unpacked(data):
    for magic, unpack in (b"\xfd7zXZ", lzma.decompress), (b"\x1f\x8b", gzip.decompress):
        if data.startswith(magic):
            return unpacked(unpack(data))
    return data


def main():
    target, how, kept, *files = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="aprof-mutations-") as name:
        folder = pathlib.Path(name)
        for path in map(pathlib.Path, files):
            (folder / path.name).write_bytes(path.read_bytes())
        for path in pathlib.Path(kept).glob("*.packed"):
            (folder / path.stem).write_bytes(unpacked(path.read_bytes()))
        (folder / "gmon.out").write_bytes(gmon())
        seeds = sorted(folder.iterdir())
        assert len(seeds) > 30, seeds
        if how.endswith("s"):
            return subprocess.run([target, f"-max_total_time={how[:-1]}", "-timeout=100", "-rss_limit_mb=2000", "-max_len=131072", "-verbosity=0", "-print_final_stats=1",
                                   folder]).returncode
        return subprocess.run([target, how, *seeds]).returncode


if __name__ == "__main__":
    sys.exit(main())
