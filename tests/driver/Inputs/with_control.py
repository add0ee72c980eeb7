"""Runs a command in whose words ~ stands for an escape character and | for a line break."""
import subprocess
import sys

subprocess.run([word.replace("~", "\x1b").replace("|", "\n") for word in sys.argv[1:]])
