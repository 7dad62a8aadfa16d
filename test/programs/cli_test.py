#!/usr/bin/env python3
"""Runs the program `tensorgrad` as a user does: cli_test.py PROGRAM."""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
WORKLOADS = ["mlp_sin", "mnist_cnn", "add_transformer", "nerf_tiny", "vae"]
KEYS = {"workload": str, "device": str, "threads": int, "ms_read": float, "ms_async": float,
        "ms_min": float, "steps": int, "loss_first": float, "loss_last": float, "kernels": int,
        "compile_ms": float, "first_step_ms": float, "planned_bytes": dict, "peak_rss_mb": float,
        "wall_ms": float}


def run(*arguments, data=None, folder=None):
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("TENSORGRAD_DEVICE", "TENSORGRAD_DATA_DIR", "TG_LOG")}
    if data is not None:
        environment["TENSORGRAD_DATA_DIR"] = str(data)
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          env=environment, cwd=folder, check=False)


def write_idx(path, shape, values):
    head = struct.pack(">BBBB", 0, 0, 8, len(shape)) + struct.pack(f">{len(shape)}I", *shape)
    path.write_bytes(head + bytes(values))


def write_digits(folder, prefix, count, generator):
    """Images of class c have a bright row 4 + 2c."""
    labels = [i % 10 for i in range(count)]
    pixels = [generator.randrange(200, 256) if y == 4 + 2 * label else generator.randrange(40)
              for label in labels for y in range(28) for _ in range(28)]
    write_idx(folder / f"{prefix}-images-idx3-ubyte", (count, 28, 28), pixels)
    write_idx(folder / f"{prefix}-labels-idx1-ubyte", (count,), labels)


def read_safetensors(path):
    """Names with shapes and, for F32, values."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header, body = json.loads(raw[8:8 + length]), raw[8 + length:]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        values = None
        if entry["dtype"] == "F32":
            values = struct.unpack(f"<{(end - begin) // 4}f", body[begin:end])
        tensors[name] = (entry["shape"], values)
    return tensors


class Bench(unittest.TestCase):
    def test_every_small_workload_reports_all_keys(self):
        for name in WORKLOADS:
            with self.subTest(workload=name):
                done = run("bench", name, "--json", "--seconds", 0.02, "--threads", 2)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count("\n"), 1)
                report = json.loads(done.stdout)
                for key, kind in KEYS.items():
                    self.assertIsInstance(report[key], kind, key)
                self.assertEqual((report["workload"], report["device"], report["threads"]),
                                 (name, "cpu", 2))
                self.assertLess(report["loss_last"], report["loss_first"])
                self.assertGreaterEqual(report["steps"], 10)
                self.assertLessEqual(report["ms_min"], report["ms_read"])
                self.assertGreaterEqual(report["wall_ms"], report["steps"] * report["ms_min"])
                self.assertEqual(report["planned_bytes"]["staging"], 0)

    def test_losses_do_not_depend_on_threads(self):
        dumps = []
        with tempfile.TemporaryDirectory() as folder:
            for threads in (1, 2):
                file = pathlib.Path(folder) / f"{threads}.safetensors"
                done = run("bench", "nerf_tiny", "--json", "--seconds", 0, "--threads", threads,
                           "--dump", file)
                self.assertEqual(done.returncode, 0, done.stderr)
                dumps.append(read_safetensors(file))
        self.assertEqual(dumps[0]["loss"], dumps[1]["loss"])
        self.assertEqual(dumps[0]["loss"][0], [20])
        self.assertEqual(dumps[0]["param/l1.weight"][0], [64, 32])
        self.assertEqual(dumps[0]["input/coordinates"][0], [1024, 2])

    def test_dump_has_the_noise_of_a_random_step(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "vae.safetensors"
            done = run("bench", "vae", "--seconds", 0, "--dump", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            tensors = read_safetensors(file)
        self.assertEqual(tensors["noise"][0], [20, 128, 8])
        noise = tensors["noise"][1]
        self.assertAlmostEqual(sum(noise) / len(noise), 0, delta=0.05)
        self.assertAlmostEqual(sum(v * v for v in noise) / len(noise), 1, delta=0.05)
        self.assertNotEqual(noise[:1024], noise[1024:2048])

    def test_profile_lists_the_kernels(self):
        report = json.loads(run("bench", "mlp_sin", "--json", "--seconds", 0, "--profile").stdout)
        self.assertEqual(len(report["kernel_list"]), report["kernels"])

    def test_unknown_workload_is_refused_with_the_known_ones(self):
        done = run("bench", "mnist")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("char_gpt_small", done.stderr)


class Demo(unittest.TestCase):
    def test_small_data_set_from_start_to_end(self):
        generator = random.Random(1)
        with tempfile.TemporaryDirectory() as folder:
            data, out = pathlib.Path(folder), pathlib.Path(folder) / "out"
            (data / "mnist").mkdir()
            write_digits(data / "mnist", "train", 640, generator)
            write_digits(data / "mnist", "t10k", 50, generator)
            done = run("demo", "mnist", "--epochs", 5, "--seed", 3, "--out", out, data=data)
            self.assertEqual(done.returncode, 0, done.stderr)
            picture = (out / "mnist_predictions.png").read_bytes()
            tensors = read_safetensors(out / "mnist_cnn.safetensors")
        lines = done.stdout.splitlines()
        found = re.fullmatch(r"test accuracy: (\d+\.\d\d) %", lines[-1])
        self.assertTrue(found, lines[-1])
        self.assertGreater(float(found.group(1)), 90)
        self.assertEqual(sum(line.startswith("epoch 5: test accuracy") for line in lines), 1)
        self.assertRegex(done.stdout, r"epoch 5/5  step 10/10  loss \d\.\d{4}  \d+ images/s  \d:\d\d left")
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(tensors["conv2.weight"][0], [32, 16, 3, 3])
        self.assertEqual(tensors["fc2.bias"][0], [10])

    def test_missing_data_names_the_folder_and_the_script(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("demo", "mnist", data=folder, folder=folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn(folder, done.stderr)
        self.assertIn("scripts/fetch_data.sh", done.stderr)


class Devices(unittest.TestCase):
    def test_lists_the_cpu(self):
        done = run("devices")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^cpu +usable")

    def test_unknown_device_is_refused(self):
        self.assertNotEqual(run("bench", "mlp_sin", "--device", "abacus").returncode, 0)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
