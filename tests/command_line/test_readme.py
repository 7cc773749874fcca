"""What the README shows is what happens."""

import json

from pages import ROOT, blocks, page

README = page("README.md")


def test_every_command_works(tmp_path, revealed):
    commands = [line for block in blocks(README, "sh") for line in block.code.splitlines() if line]
    assert len(commands) >= 7
    for command in commands:
        assert revealed.shell(command, tmp_path), command


def test_the_demo_prints_what_the_readme_shows(tmp_path, revealed):
    (shown,) = blocks(README, "text")
    assert shown.code in revealed.shell("revealed demo", tmp_path)


def test_the_problem_of_the_readme_is_one(tmp_path, revealed):
    (problem,) = blocks(README, "json")
    (tmp_path / "fork.json").write_text(problem.code)
    (tmp_path / "demos.jsonl").write_text('{"states": [0, 2], "actions": [1]}\n' * 3 + '{"states": [0, 1], "actions": [0]}\n')
    model = json.loads(revealed.shell("revealed learn fork.json demos.jsonl -o model.json --ends terminal --json", tmp_path))
    assert abs(model["theta"][2] - model["theta"][1] - 1.0986122886681098) < 1e-6


def test_the_benchmark_is_quoted_from_a_record():
    """Every table line and the line with machine and date stand in a file that benchmarks/run printed."""
    quoted = README.split("<!-- benchmark -->")[1].split("<!-- /benchmark -->")[0]
    lines = [line for line in quoted.splitlines() if line.startswith(("|", "- ", "2"))]
    assert len(lines) > 10 and any(line.startswith("202") for line in lines)
    records = (ROOT / "benchmarks" / "record").glob("*.md")
    assert any(all(line in record.read_text().splitlines() for line in lines) for record in records)
