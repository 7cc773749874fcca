"""What the README shows is what happens."""

import json
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


def test_the_problem_of_the_readme_is_one(tmp_path, revealed):
    (problem,) = blocks("json")
    (tmp_path / "fork.json").write_text(problem)
    (tmp_path / "demos.jsonl").write_text('{"states": [0, 2], "actions": [1]}\n' * 3 + '{"states": [0, 1], "actions": [0]}\n')
    model = json.loads(run("revealed learn fork.json demos.jsonl -o model.json --ends terminal --json", tmp_path, revealed))
    assert abs(model["theta"][2] - model["theta"][1] - 1.0986122886681098) < 1e-6


def test_the_benchmark_is_quoted_from_a_record():
    """Every table line and the line with machine and date stand in a file that benchmarks/run printed."""
    quoted = README.split("<!-- benchmark -->")[1].split("<!-- /benchmark -->")[0]
    lines = [line for line in quoted.splitlines() if line.startswith(("|", "- ", "2"))]
    assert len(lines) > 10 and any(line.startswith("202") for line in lines)
    records = (Path(__file__).parents[2] / "benchmarks" / "record").glob("*.md")
    assert any(all(line in record.read_text().splitlines() for line in lines) for record in records)
