"""Animal behaviour from a frame of labels: what foxes are after, and how sure we are."""
import pandas

import revealed

nights = ["den field field wood den", "den wood wood den den", "den field wood field den", "den field field field den"] * 5
rows = [(f"night {number}", place) for number, night in enumerate(nights) for place in night.split()]
log = pandas.DataFrame(rows, columns=["id", "state"])
log["action"] = "to " + log.groupby("id")["state"].shift(-1)  # what was chosen is where it led; missing at the end
places = {"den": {"food": 0.0}, "field": {"food": 1.0}, "wood": {"food": 0.3}}
world = revealed.Mdp.from_counts(log, features=places)  # an action that always led to one place is nearly sure to
irl = revealed.MaxEntIRL(inference="causal").fit(world, log)
print(irl.summary(log).to_frame()[["estimate", "std_err"]].round(2))
print(world.to_frame(irl.policy()).round(2))
print("standard errors of the transitions: at most", world.transition_errors.max().round(2))
