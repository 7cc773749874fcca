"""Draws which-model.svg: the decision between the four models. It needs only Python."""

from __future__ import annotations

import html
from pathlib import Path

STYLE = """
.paper { fill: #ffffff } .line { stroke: #555555; stroke-width: 1.5; fill: none } .head { fill: #555555 }
.question { fill: #f3f3f3; stroke: #555555 } .model { fill: #dcebf7; stroke: #1f6fb2 }
text { fill: #1a1a1a; font: 14px sans-serif; text-anchor: middle } .title { font-weight: bold } .code { font: 12px monospace }
@media (prefers-color-scheme: dark) {
  .paper { fill: #1b1d20 } .line { stroke: #b5b5b5 } .head { fill: #b5b5b5 }
  .question { fill: #2a2d31; stroke: #b5b5b5 } .model { fill: #17344d; stroke: #6db3ea } text { fill: #f0f0f0 }
}
"""

# The middle of a box, its class, and its lines. A line is (class, text).
BOXES = [
    (450, 45, "question", [("title", "Is anything left to chance?"), ("", "Can an action have several outcomes?")]),
    (680, 145, "question", [("title", "What is it for?"), ("", "The reward and acting, or forecasts of paths?")]),
    (220, 260, "question", [("title", "Is there a largest length?"), ("", "Or may paths have any length?")]),
    (680, 260, "question", [("title", "Does time run out?"), ("", "Do choices depend on the time that is left?")]),
    (110, 385, "model", [("title", "paths within a horizon"), ("code", "inference exact"), ("code", "horizon L")]),
    (335, 385, "model", [("title", "paths of any length"), ("code", "horizon any"), ("code", "given ends: recursive-logit")]),
    (565, 385, "model", [("title", "causal within a horizon"), ("code", "inference causal"), ("code", "horizon L")]),
    (790, 385, "model", [("title", "causal without a horizon"), ("code", "inference causal"), ("code", "horizon any")]),
]
WIDTH = {"question": 350, "model": 212}

# Two boxes, where the arrow between them begins and ends (x), the answer that leads along it, and where that is written.
ARROWS = [
    (0, 2, (350, 180), "no", (246, 146)),
    (0, 1, (580, 660), "yes", (652, 92)),
    (1, 2, (540, 300), "forecasts, luck included", (368, 176)),
    (1, 3, (680, 680), "the reward, acting", (752, 207)),
    (2, 4, (180, 120), "yes", (128, 318)),
    (2, 5, (260, 330), "no", (322, 318)),
    (3, 6, (640, 575), "yes", (584, 318)),
    (3, 7, (720, 785), "no", (776, 318)),
]


def height(box: tuple[int, int, str, list[tuple[str, str]]]) -> int:
    return 18 * len(box[3]) + 20


def drawn() -> str:
    parts = [f"<style>{STYLE}</style>", '<rect class="paper" width="900" height="440" rx="8"/>']
    parts.append('<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">')
    parts.append('<path class="head" d="M0 0 L8 4 L0 8 z"/></marker>')
    for origin, target, (begin, end), answer, (x, y) in ARROWS:
        below = BOXES[origin][1] + height(BOXES[origin]) / 2
        above = BOXES[target][1] - height(BOXES[target]) / 2
        parts.append(f'<path class="line" marker-end="url(#tip)" d="M{begin} {below:.0f} L{end} {above:.0f}"/>')
        parts.append(f'<text x="{x}" y="{y}">{html.escape(answer)}</text>')
    for box in BOXES:
        (x, y, kind, lines), wide, high = box, WIDTH[box[2]], height(box)
        parts.append(
            f'<rect class="{kind}" x="{x - wide / 2:.0f}" y="{y - high / 2:.0f}" width="{wide}" height="{high}" rx="6"/>'
        )
        for place, (style, words) in enumerate(lines):
            parts.append(f'<text class="{style}" x="{x}" y="{y - high / 2 + 24 + 18 * place:.0f}">{html.escape(words)}</text>')
    label = "Which of the four models do I need? The text of the page says the same."
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 440" width="900" role="img" aria-label="{label}">'
    return "\n".join([head, *parts, "</svg>", ""])


if __name__ == "__main__":
    (Path(__file__).parent / "which-model.svg").write_text(drawn())
