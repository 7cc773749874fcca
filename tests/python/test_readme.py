"""What the README shows is what happens."""

import os
import re
import subprocess
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def run(command, folder, revealed):
    path = os.pathsep.join([str(revealed.path.parent), os.environ["PATH"]])
    result = subprocess.run(command, shell=True, cwd=folder, env=dict(os.environ, PATH=path), capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, f"{command}\n{result.stderr}"
    return result.stdout


def test_every_command_works(tmp_path, revealed):
    commands = [line for block in blocks("sh") for line in block.splitlines() if line]
    assert len(commands) >= 7
    for command in commands:
        assert run(command, tmp_path, revealed), command


def test_the_demo_prints_what_the_readme_shows(tmp_path, revealed):
    (shown,) = blocks("text")
    assert shown in run("revealed demo", tmp_path, revealed)
