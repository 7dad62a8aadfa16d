#!/usr/bin/env python3
"""Times this library beside libtorch on the CPU and writes a table of both.

Runs alternate between the two, so that a machine that slows down slows both; what is compared is the
median over the runs of each run's median step. Without libtorch-dev only this library is timed.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOADS = ["mlp_sin", "mnist_cnn", "add_transformer", "char_gpt_small", "nerf_tiny", "vae",
             "sgemm", "eltwise", "softmax"]
TORCH_HEADERS = pathlib.Path("/usr/include/torch/csrc/api/include")
KEEP_MAPPED = ("glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=8589934592")
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def build_peer(folder):
    """The compiled peer, or None when libtorch is not installed."""
    if not TORCH_HEADERS.is_dir():
        print("bench_cpu: libtorch-dev is not installed, so there is no peer", file=sys.stderr)
        return None
    source, program = ROOT / "bench/peers/torch_bench.cpp", folder / "torch_bench"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        print("bench_cpu: building the peer", file=sys.stderr)
        subprocess.run(["g++", "-std=c++17", "-O2", f"-I{TORCH_HEADERS}", str(source), "-o",
                        str(program), "-ltorch", "-ltorch_cpu", "-lc10"], check=True)
    return program


def run(command, environment):
    """The JSON object that a program prints last; None when it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"bench_cpu: {' '.join(map(str, command))} failed:\n{done.stderr}", file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def time_one(options, workload, threads, ours, peer):
    """Alternating runs of one workload; the samples of both."""
    clean = {key: value for key, value in os.environ.items()
             if key not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    beside = dict(clean, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    if options.best_peer:
        beside["GLIBC_TUNABLES"] = KEEP_MAPPED
    samples = {"ours": [], "peer": []}
    for _ in range(options.repeat):
        result = run([ours, "bench", workload, "--json", "--device", "cpu", "--threads",
                      str(threads), "--seconds", str(options.seconds)], clean)
        if result:
            samples["ours"].append(result)
        if peer:
            result = run([peer, workload, str(threads), str(options.seconds)], beside)
            if result:
                samples["peer"].append(result)
    return samples


def summary(runs, key):
    """Median, minimum and spread (largest over smallest, minus 1) of the runs' medians."""
    if not runs:
        return None
    values = [run[key] for run in runs]
    return {"median": statistics.median(values), "spread": max(values) / min(values) - 1,
            "min": min(run["ms_min"] for run in runs),
            "peak_rss_mb": max(run["peak_rss_mb"] for run in runs)}


def row_of(workload, threads, samples):
    ours, peer = summary(samples["ours"], "ms_read"), summary(samples["peer"], "ms_per_step")
    row = {"workload": workload, "threads": threads, "ours": ours, "peer": peer, "samples": samples}
    if ours:
        row["ours"]["async"] = statistics.median(run["ms_async"] for run in samples["ours"])
    if ours and peer:
        row["ratio"] = peer["median"] / ours["median"]
    return row


def milliseconds(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def markdown(rows):
    """The table; the ratio is how many times faster this library is."""
    lines = ["| workload | threads | ours: median (spread) | minimum | async | MB "
             "| libtorch: median (spread) | minimum | MB | ratio |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        cells = [row["workload"], str(row["threads"])]
        for side in ("ours", "peer"):
            part = row[side]
            if not part:
                cells += ["–"] * (4 if side == "ours" else 3)
                continue
            cells.append(f"{milliseconds(part['median'])} ms ({100 * part['spread']:.0f} %)")
            cells.append(milliseconds(part["min"]))
            if side == "ours":
                cells.append(milliseconds(part["async"]))
            cells.append(f"{part['peak_rss_mb']:.0f}")
        cells.append(f"{row['ratio']:.2f}" if "ratio" in row else "–")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def update_page(table):
    """Puts the table between the marks of docs/performance.md."""
    page = ROOT / "docs/performance.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    page.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", default=WORKLOADS, help="default: all")
    parser.add_argument("--program", type=pathlib.Path, help="the built tensorgrad program",
                        default=ROOT / "build/release/bin/tensorgrad")
    parser.add_argument("--threads", default="1,2", help="numbers of threads (default 1,2)")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--seconds", type=float, default=2, help="length of a run (default 2)")
    parser.add_argument("--best-peer", action="store_true", help="keep the peer's memory mapped")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench-cpu",
                        help="folder of the table")
    parser.add_argument("--update-docs", action="store_true", help="also into docs/performance.md")
    options = parser.parse_args()
    unknown = set(options.workloads) - set(WORKLOADS)
    if unknown:
        parser.error(f"no such workload: {', '.join(sorted(unknown))}; known: {', '.join(WORKLOADS)}")
    if not shutil.which(str(options.program)):
        parser.error(f"{options.program} is not there; run make build")

    options.out.mkdir(parents=True, exist_ok=True)
    peer = build_peer(options.out)
    rows = []
    for workload in options.workloads:
        for threads in map(int, options.threads.split(",")):
            samples = time_one(options, workload, threads, options.program, peer)
            rows.append(row_of(workload, threads, samples))
            print(markdown(rows[-1:]).splitlines()[-1], file=sys.stderr)
    table = markdown(rows)
    (options.out / "results.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    (options.out / "results.md").write_text(table, encoding="utf-8")
    if options.update_docs:
        update_page(table)
    print(table)
    return 0 if all(row["ours"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
