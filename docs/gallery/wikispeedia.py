"""Wikispeedia: what people follow who have to find a given article by links alone."""
import os, networkx as nx, numpy as np, pandas as pd, revealed
folder = os.environ["WIKISPEEDIA"]
read = lambda name, skip=1: pd.read_csv(f"{folder}/{name}.gz", sep="\t", header=None, comment="#", skiprows=skip)
names = read("articles.tsv")[0].to_numpy()
subject = read("categories.tsv").drop_duplicates(0).set_index(0)[1].str.split(".").str[1]
links = pd.DataFrame(names[read("edges_only.txt")[[1, 2]]], columns=["from", "to"]).assign(click=1.0)
for name, end in [("log links", "from"), ("log linked", "to")]:  # how many the article has, and how many lead to it
    links[name] = np.log1p(links["to"].map(links[end].value_counts()).fillna(0))
links["same subject"] = (links["from"].map(subject) == links["to"].map(subject)).astype(float)
web = revealed.Mdp.from_graph(nx.from_pandas_edgelist(links, "from", "to", True, nx.DiGraph), edge_attributes=list(links)[2:])
games = web.paths(np.split(names[read("observations.txt")[0].astype(int)], read("lengths.txt", 0)[1].cumsum()[:-1])[::50])
irl = revealed.MaxEntIRL(inference="recursive-logit", horizon="any", ends="goal").fit(web, games)
print((summary := irl.summary(games)).to_frame()[["estimate", "std_err"]].round(2))
print(*(" > ".join(path.labels) for path in irl.predict_path("Asteroid", "Viking", k=3)), sep="\n")
