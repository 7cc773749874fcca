"""What a terminal or a notebook shows: progress bars, and the cards that stand for an object in a notebook.

This subpackage lays out what it is given, and does not depend on the rest of the package. It uses tqdm, and imports it
only when a bar is shown. Begin with `progress` for bars and callbacks, and with `cards` for tables in HTML.
"""
