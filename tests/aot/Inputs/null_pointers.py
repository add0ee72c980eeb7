"""Writes a C program that calls each function of a header of Kern with null in place of each of its pointers, with a handle of
each other kind in place of each of its handles, and with handles that were released.

Usage: null_pointers.py HEADER... > program.c

A function that tells errors must return one, but for the pointers of OPTIONAL; the others only must not crash.
"""
import re
import sys

# These parameters may be null, by function and name; `event` may be everywhere.
OPTIONAL = {
    ("kern_set", "value"), ("kern_stream_wrap", "native"), ("kern_set_log", "log"), ("kern_set_log", "context"),
    ("kern_stream_call", "context"), ("kern_buffer_wrap", "release"), ("kern_buffer_wrap", "context"),
    ("kern_event_wait", "done"), ("kern_module_load_owned", "owner"), ("kern_module_load_owned", "release"),
    ("kern_compile", "options"), ("kern_compile_async", "options"), ("kern_compilation_wait", "done"),
}
# Other pointers are given a handle, or memory.
HANDLES = {"kern_device": "device", "kern_stream": "stream", "kern_event": "event", "kern_buffer": "buffer",
           "kern_module": "module", "kern_kernel": "kernel", "kern_prepared": "prepared", "kern_graph": "graph",
           "kern_error": "failed"}
STRUCTS = {"kern_device_options": "device_options", "kern_launch_options": "launch_options",
           "kern_argument": "arguments", "kern_parameter": "parameters", "kern_object": "object"}
TEXTS = {"name": '"scale"', "value": '"off"', "source": '"x = 1\\n"'}

def functions(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"typedef[^;{]*\{[^}]*\}[^;]*;|typedef[^;]*;|#[^\n]*", "", text)
    for result, name, params in re.findall(r"([\w\s\*]+?)\b(kern_\w+)\(((?:[^()]|\([^()]*\))*)\);", text):
        yield result.strip(), name, [p.strip() for p in re.split(r",(?![^()]*\))", params) if p.strip() != "void"]


def name_of(param):
    pointer = re.search(r"\(\*(\w+)\)", param)
    return pointer.group(1) if pointer else re.search(r"(\w+)$", param).group(1)


def is_pointer(param):
    return "*" in param or "_function " in param


def value(param, name):
    if "(*" in param:
        return "release" if name == "release" else "call"
    if "_function " in param:
        return "print" if "print" in param else "write_log"
    if param.count("*") == 2:
        return "(void*)&place" if not param.startswith("const char") else "&text"
    base = re.match(r"(?:const )?(\w+)", param).group(1)
    if "*" not in param:
        return {"double": "0.0"}.get(base, "KERN_DEVICE_CPU" if base == "kern_device_kind" else
                                     "16" if name == "pattern_bytes" else "0" if base != "uint64_t" or "offset" in name
                                     or name in ("index", "parameter") else "2" if name == "count" else "16")
    if base in HANDLES:
        return HANDLES[base]
    if base in STRUCTS:
        return "&" + STRUCTS[base] if base not in ("kern_argument", "kern_parameter", "kern_object") else STRUCTS[base]
    if base == "char":
        return TEXTS.get(name, "memory")
    return "(void*)memory"


def call_of(function, result, values, said, is_error):
    text = f"{function}({', '.join(values)})"
    if "kern_error*" in result.replace(" ", "") and function != "kern_error_free":
        return f'  expect({text}, "{function}: {said}", {int(is_error)});'
    return f"  (void){text};"


def main():
    calls, others, released, count = [], [], [], 0
    for header in sys.argv[1:]:
        with open(header) as file:
            found = list(functions(file.read()))
        for result, function, params in found:
            names = [name_of(p) for p in params]
            pointers = [i for i, p in enumerate(params) if is_pointer(p)]
            good = [value(p, n) for p, n in zip(params, names)]
            cases = [{i} for i in pointers] + ([set(pointers)] if len(pointers) > 1 else [])
            for nulls in cases:
                optional = all(names[i] == "event" and "**" in params[i] or (function, names[i]) in OPTIONAL
                               for i in nulls)
                values = ["0" if i in nulls else v for i, v in enumerate(good)]
                said = ", ".join(names[i] for i in sorted(nulls))
                calls.append(call_of(function, result, values, said, not optional))
            handles = [i for i in pointers if good[i] in HANDLES.values()]
            for i in handles:
                for other in HANDLES.values():
                    if other == good[i]:
                        continue
                    values = good[:i] + [f"(void*){other}"] + good[i + 1:]
                    others.append(call_of(function, result, values, f"{names[i]} is a {other}", True))
            if handles:
                released.append(call_of(function, result, good, "released", True))
    count = len(calls) + len(others) + len(released)
    with open(__file__.replace("null_pointers.py", "null_pointers.c")) as file:
        text = file.read().replace("CALLS", str(count))
    for place, lines in (("null", calls), ("another kind", others), ("released", released)):
        text = text.replace(f"  // The calls: {place}.", "\n".join(lines))
    print(text)


main()
