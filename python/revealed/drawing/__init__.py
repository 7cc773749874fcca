"""Pictures with matplotlib: where states are drawn, in which colours, and what is drawn over them.

It draws any object that has the attributes of a `Scene`, and does not depend on learning. It uses `inputs` and
`demonstrations`, and imports matplotlib when a picture is drawn. Begin with `picture`, which draws the layers of a
picture one after another.
"""
