"""Questions to a learned model: paths, destinations, lengths, samples, visits, values, policies, scores, pictures.

Each file is a mixin with the methods of one kind of query; `questions` joins them into the base class of `MaxEntIRL`.
This subpackage uses `inputs`, `demonstrations`, `drawing`, `mdp` and the engine. It does no learning. Begin with
`model`.
"""
