"""What the README shows is what happens."""

from pages import blocks, page

README = page("README.md")


def test_every_command_works(tmp_path, revealed):
    commands = [line for block in blocks(README, "sh") for line in block.code.splitlines() if line]
    assert len(commands) >= 7
    for command in commands:
        assert revealed.shell(command, tmp_path), command


def test_the_demo_prints_what_the_readme_shows(tmp_path, revealed):
    (shown,) = blocks(README, "text")
    assert shown.code in revealed.shell("revealed demo", tmp_path)
