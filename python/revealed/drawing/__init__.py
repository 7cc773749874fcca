"""Pictures with matplotlib: where states are drawn, in which colours, and what is drawn over them.

It draws every object with the attributes of a `Scene`, and is independent of learning. It touches `inputs` and
`demonstrations`, and imports matplotlib when a picture is drawn. Begin with `picture`, which draws the layers of a
picture one after another.
"""
