"""Questions to a learned model: paths, destinations, lengths, samples, visits, values, policies, scores, pictures.

Each file is a mixin with the methods of one kind of question; `questions` joins them into the base of `MaxEntIRL`. This
room touches `inputs`, `demonstrations`, `drawing`, `mdp` and the engine, and never learns. Begin with `model`.
"""
