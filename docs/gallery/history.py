"""Agents that remember: the state is the last two places, so that turning back has a reward of its own."""
import revealed

roads = {"a": "bc", "b": "acd", "c": "abd", "d": ""}  # d is where they go
turned = lambda state, to: {"step": 1.0, "turned back": float(to == state[0]), "through c": float(to == "c")}
features = revealed.Features(state_action=turned)
world = revealed.Mdp.from_function(("", "a"), lambda state, to: (state[1], to), lambda state: roads[state[1]], features=features)
walks = ["acd", "abd", "acd", "acbd", "abcd", "acd", "abd", "abacd"]
paths = [list(zip(zip(" " + walk, walk), [*walk[1:], None])) for walk in walks]
paths = [[(("", "a"), path[0][1]), *path[1:]] for path in paths]
irl = revealed.MaxEntIRL(ends="terminal", horizon=12, l2=0.01).fit(world, paths)
print(dict(zip(world.feature_names, irl.theta_.round(2).tolist())))
print("from a to b, then:", world.to_frame(irl.policy()).loc[[("a", "b")]].round(2).to_dict("records")[0])
