"""What a terminal or a notebook shows: progress bars, and the cards that stand for an object in a notebook.

This room lays out what it is given and knows no other object of the package; it touches tqdm only where a bar is shown.
Begin with `progress` for bars and callbacks, and with `cards` for tables in HTML.
"""
