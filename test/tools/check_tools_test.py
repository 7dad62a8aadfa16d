#!/usr/bin/env python3
"""The checks must find what they are for: each case plants one fault in a small tree of its own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        self.write("tensorgrad/tensorgrad.h", '#include "tensorgrad/ops/ops.h"\n')
        self.write("tensorgrad/base/shape.h", "#include <vector>\n")
        self.write("tensorgrad/ops/ops.h", '#include "tensorgrad/base/shape.h"\n')
        self.write("tensorgrad/backend/cpu/gemm.h", "")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_tool(self, name, *args):
        done = subprocess.run([sys.executable, str(TOOLS / name), *args],
                              cwd=self.root, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def expect(self, tool, complaint):
        code, output = self.run_tool(tool, "--root", str(self.root))
        self.assertIn(complaint, output)
        self.assertEqual(code, 1)

    def expect_clean(self, tool):
        code, output = self.run_tool(tool, "--root", str(self.root))
        self.assertEqual(code, 0, output)

    def test_layers_clean(self):
        self.expect_clean("check_layers.py")

    def test_layers_upwards(self):
        self.write("tensorgrad/base/bad.h", '\n#include "tensorgrad/ops/ops.h"\n')
        self.expect("check_layers.py", "tensorgrad/base/bad.h:2: base may not see ops/ops.h")

    def test_layers_tests_are_free(self):
        self.write("tensorgrad/base/bad_test.cpp", '#include "tensorgrad/ops/ops.h"\n')
        self.expect_clean("check_layers.py")

    def test_layers_branch_sees_private_header(self):
        self.write("tensorgrad/ops/vjp.h", "")
        self.write("tensorgrad/nn/bad.h", '#include "tensorgrad/ops/vjp.h"\n')
        self.expect("check_layers.py", "nn may not see ops/vjp.h")

    def test_layers_runtime_sees_a_backend(self):
        self.write("tensorgrad/runtime/bad.cpp", '#include "tensorgrad/backend/cpu/gemm.h"\n')
        self.expect("check_layers.py", "runtime may not see backend/cpu/gemm.h")

    def test_layers_only_the_registry_names_backends(self):
        self.write("tensorgrad/backend/registry.cpp", '#include "tensorgrad/backend/cpu/gemm.h"\n')
        self.expect_clean("check_layers.py")
        self.write("tensorgrad/backend/bad.cpp", '#include "tensorgrad/backend/cpu/gemm.h"\n')
        self.expect("check_layers.py", "only backend/registry.cpp may name a backend")

    def test_layers_unknown_folder_and_file(self):
        self.write("tensorgrad/new/a.h", '#include "tensorgrad/base/shape.h"\n')
        self.expect("check_layers.py", "folder 'new' is in no layer")
        self.write("tensorgrad/base/a.h", '#include "tensorgrad/base/none.h"\n')
        self.expect("check_layers.py", "no such file: tensorgrad/base/none.h")

    def test_layers_public_header_with_a_package(self):
        self.write("tensorgrad/base/shape.h", "#include <hwy/highway.h>\n")
        self.expect("check_layers.py", "a public header includes <hwy/highway.h>")

    def test_layers_posix_in_two_files(self):
        self.write("tensorgrad/base/a.cpp", "#include <unistd.h>\n")
        self.expect_clean("check_layers.py")
        self.write("tensorgrad/io/b.cpp", "#include <sys/mman.h>\n")
        self.expect("check_layers.py", "POSIX headers stand behind one file")

    def test_size(self):
        self.write("tensorgrad/base/long.cpp", "\n" * 400)
        self.write("tensorgrad/ir/table.def", "\n" * 900)
        self.expect_clean("check_size.py")
        self.write("tensorgrad/base/long.cpp", "\n" * 401)
        self.expect("check_size.py", "tensorgrad/base/long.cpp: 401 lines, at most 400")

    def test_docs(self):
        self.write("docs/a.md", "# One `two`\n[b](b.md#three)\n```\n[no](none.md)\n```\n[a](#one-two)\n")
        self.write("docs/b.md", "## Three\n`tensorgrad/ops/ops.h`\n")
        self.expect_clean("check_docs.py")
        self.write("docs/b.md", "## Four\n`tensorgrad/ops/gone.h` [x](../gone.md)\n")
        self.expect("check_docs.py", "docs/a.md:2: no such heading: b.md#three")
        self.expect("check_docs.py", "docs/b.md:2: no such file: tensorgrad/ops/gone.h")
        self.expect("check_docs.py", "docs/b.md:2: no such file: ../gone.md")

    def test_count(self):
        self.write("a.xml", """<testsuite>
          <testcase name="good" status="run"/>
          <testcase name="bad" status="fail"><failure/></testcase>
          <testcase name="left" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
          <testcase name="gone" status="notrun"><skipped message="Unable to find executable"/></testcase>
        </testsuite>""")
        code, output = self.run_tool("count_tests.py", "a.xml", "none.xml", "--more-passed", "2")
        self.assertEqual(output.splitlines()[-1], "3 passed, 3 failed")
        self.assertEqual(code, 1)
        self.write("a.xml", '<testsuite><testcase name="good" status="run"/></testsuite>')
        self.assertEqual(self.run_tool("count_tests.py", "a.xml"), (0, "1 passed, 0 failed\n"))


if __name__ == "__main__":
    unittest.main()
