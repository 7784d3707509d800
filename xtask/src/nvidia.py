"""Compiles OpenCL C to PTX with the front end of NVIDIA's driver: nvidia.py LIBRARY FILE OPTIONS."""

import ctypes
import sys
from pathlib import Path

library, file, options = sys.argv[1:]
compiler = ctypes.CDLL(library).NvCliCompileProgram
source = Path(file).read_bytes()
texts, lengths = (ctypes.c_char_p * 1)(source), (ctypes.c_size_t * 1)(len(source))
log, ptx = ctypes.c_char_p(), ctypes.c_char_p()
code = compiler(texts, 1, lengths, options.encode(), ctypes.byref(log), ctypes.byref(ptx))
sys.stderr.buffer.write(log.value or b"")
sys.stdout.buffer.write(ptx.value or b"")
sys.exit(code != 0)
