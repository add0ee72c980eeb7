"""Writes an entry of the kernel cache as runtime/cache/entry.cpp does, by Python's own SHA-256.

usage: cache_entry.py FOLDER PAYLOAD SECONDS NAME=VALUE...
"""
import hashlib
import os
import pathlib
import struct
import sys

folder, payload, seconds = pathlib.Path(sys.argv[1]), sys.argv[2].encode(), int(sys.argv[3])
values = dict(word.split("=", 1) for word in sys.argv[4:])
text = "".join(f"{name}: {values.get(name, '')}\n" for name in ("kind", "device", "made by", "source", "kernels")).encode()
key = hashlib.sha256(payload).digest()
head = b"kerncach" + struct.pack("<IIQ", 1, len(text), len(payload)) + key + hashlib.sha256(payload).digest()
folder.mkdir(mode=0o700, exist_ok=True)
path = folder / (key.hex() + ".kern")
path.write_bytes(head + hashlib.sha256(head + text).digest() + text + payload)
path.chmod(0o600)
os.utime(path, (seconds, seconds))
