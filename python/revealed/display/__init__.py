"""What a terminal or a notebook shows: progress bars, and the cards that stand for an object in a notebook.

This room formats its inputs and is independent of the rest of the package; it uses tqdm only where a bar is shown.
Begin with `progress` for bars and callbacks, and with `cards` for tables in HTML.
"""
