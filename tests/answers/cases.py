"""The cases, as data: problems, fits, and every command that is run on them.

A command line is written without the name of the program. `collect` fills in `{name}`: a file (`{problem}`, `{model}`,
`{demos}`), a state (`{start}`, `{goal}`), a path (`{prefix}`), or `{case}`, the name of the case, for files that it writes.
`< FILE` at the end gives a file to stdin. A refusal is an answer, too: it is kept with its message.
"""

# Flags that were renamed: (command, old name): new name. The new name is used where the old one is not in the help.
RENAMED: dict[tuple[str, str], str] = {}

# -- Problems ------------------------------------------------------------------------------------------------

# name: (problem file, how it is made, options of `rollouts` for the demonstrations)
# A line that begins with `env` is a command; another names a function of inputs.py and its arguments.
PROBLEMS = {
    "lake": ("lake.json", "env frozenlake-4x4 --discount 0.99", "--longest 25"),
    "ice": (
        "ice.npz",
        "env frozenlake-random --size 5 --p-frozen 0.85 --seed 3 --not-slippery",
        "--policy boltzmann --temperature 0.2 --discount 0.9 --longest 20",
    ),
    "chain": ("chain.json", "env nchain --n 5 --discount 0.5", "--policy boltzmann --temperature 3 --longest 10"),
    "kinds": ("kinds.npz", "env nchain --n 6 --slip 0.1 --features kinds --discount 0.9", "--policy uniform --longest 12"),
    "cliff": (
        "cliff.npz",
        "env cliffwalking --features transitions --discount 0.99",
        "--policy boltzmann --temperature 0.5 --longest 30",
    ),
    "taxi": ("taxi.npz", "env taxi --features kinds --discount 0.9", "--longest 20"),
    "line": ("line.json", "env linear-chain --n 4", "--policy uniform --longest 4"),
    "fork": ("fork.json", "fork", "--policy uniform --longest 6"),
    "plain": (
        "plain.json",
        "random seed=1 states=7 actions=3 features=3 outcomes=1 kinds=state terminal=2 discount=1",
        "--policy uniform --longest 9",
    ),
    "chance": (
        "chance.npz",
        "random seed=2 states=6 actions=2 features=4 outcomes=3 kinds=state+state_action+transition terminal=1 discount=0.9",
        "--policy uniform --longest 8",
    ),
    "habit": (
        "habit.json",
        "random seed=3 states=6 actions=3 features=3 outcomes=2 kinds=state_action terminal=2 discount=0.99 reference=1",
        "--policy uniform --longest 8",
    ),
    "endless": (
        "endless.npz",
        "random seed=4 states=5 actions=2 features=3 outcomes=2 kinds=transition terminal=0 discount=0.5",
        "--policy uniform --longest 7",
    ),
    "streets": ("streets.npz", "streets rows=5 columns=6", "--policy boltzmann --temperature 2 --longest 40"),
}

N_DEMONSTRATIONS = 30

# -- Fits ----------------------------------------------------------------------------------------------------

# The settings of `MaxEntIRL`; `options` below writes them for the command line. A horizon of "longest" is that of the
# demonstrations. Ends `terminal` are learned from the demonstrations that end in a terminal state.
FITS = {
    "anywhere": {"ends": "anywhere", "bounds": (-2, 2)},
    "horizon": {"ends": "horizon", "horizon": "longest", "bounds": (-2, 2)},
    "terminal": {"ends": "terminal", "bounds": (-2, 2)},
    "goal": {"ends": "goal", "bounds": (-2, 2)},
    "penalised": {"ends": "anywhere", "l2": 0.05},
    "unbounded": {"ends": "anywhere", "max_iter": 60},
    "ziebart2008": {"inference": "ziebart2008", "bounds": (-1, 1), "max_iter": 40},
    "ziebart2010": {"inference": "ziebart2010", "bounds": (-1, 1), "max_iter": 40},
    "causal": {"inference": "causal", "horizon": "longest", "bounds": (-2, 2)},
    "causal-dual": {"inference": "causal-dual", "horizon": "longest", "bounds": (-2, 2)},
    "causal-any-length": {"inference": "causal", "horizon": "any", "bounds": (-2, -0.01)},
    "recursive-logit": {"inference": "recursive-logit", "bounds": (-4, -0.01)},
}
FINISHED_ONLY = ("terminal",)

# Fits of the command line alone: (samples, options of `learn`)
MODEL_FREE = {
    "free-horizon": ("samples {problem} -n 400 --seed 2 --longest {longest} -o {case}.npz", "--bounds=-2,2"),
    "free-anywhere": ("samples {problem} -n 300 --seed 3 --longest {longest} --prefixes -o {case}.jsonl", "--l2 0.1"),
    "free-reference": (
        "samples {problem} -n 300 --seed 4 --longest {longest} --policy reference -o {case}.npz",
        "--bounds=-2,2 --baseline one",
    ),
}

# Questions to these fits are asked in words, too; to all others with --json alone.
IN_WORDS = ("anywhere", "goal", "causal", "recursive-logit", "free-anywhere")


def options(settings: dict, longest: int) -> str:
    """The settings of a fit, as `learn` takes them."""
    flags = {"max_iter": "max-iterations"}
    given = {name: longest if value == "longest" else value for name, value in settings.items()}
    if "bounds" in given:
        given["bounds"] = ",".join(map(str, given["bounds"]))
    return " ".join(f"--{flags.get(name, name)}={value}" for name, value in given.items())


# -- Questions to a problem ----------------------------------------------------------------------------------

OF_PROBLEM = {
    "check": "check {problem} {demos}",
    "check-alone": "check {problem}",
    "plan": "plan {problem} --discount 0.9 -o {case}.out.json",
    "plan-own-discount": "plan {problem}",
    "plan-boltzmann": "plan {problem} --discount 0.8 --temperature 0.5",
    "plan-keeps-paying": "plan {problem} --discount 0.9 --at-terminal keeps-paying --paid on-arrival --threads 2",
    "rollouts-uniform": "rollouts {problem} -n 15 --seed 5 --policy uniform --longest 9 -o {case}.npz",
    "rollouts-boltzmann": "rollouts {problem} -n 15 --policy boltzmann --temperature 0.7 --longest 9 --threads 2 -o {case}.jsonl",
    "samples": "samples {problem} -n 40 --seed 1 --longest 6 -o {case}.jsonl",
    "samples-prefixes": "samples {problem} -n 40 --prefixes --longest 5 --policy reference -o {case}.npz",
    "likelihood-anywhere": "likelihood {problem} {demos} --theta {theta}",
    "likelihood-horizon": "likelihood {problem} {demos} --theta {theta} --ends horizon --threads 2",
    "likelihood-terminal": "likelihood {problem} {finished} --theta {theta} --ends terminal --horizon {longer}",
    "likelihood-goal": "likelihood {problem} {demos} --theta {theta} --ends goal --memory 50K",
    "likelihood-budget": "likelihood {problem} {demos} --theta {theta} --memory 25K --threads 2",
    "cross-validate": "cross-validate {problem} {demos} --folds 3 --seed 4 --l2 0.01,0.1,1",
    "cross-validate-bounds": "cross-validate {problem} {demos} --folds 4 --bounds=-1,1 --ends goal --group-identical --threads 2",
    "cross-validate-few": "cross-validate {problem} {demos} --folds 2 --l2 0.1 --max-iterations 4 --memory 40K",
    "compare": "compare {problem} {demos} --folds 3 -o {case}.out.json --picture {case}.svg",
    "compare-horizon": "compare {problem} {demos} --folds 2 --l2 0.1 --horizon {longer} --ends horizon --threads 2",
    "learn-summary": "learn {problem} {demos} -o {case}.out.json --l2 0.1 --summary --level 0.9 --threads 2",
    "learn-bounds-file": "learn {problem} {demos} -o {case}.out.json --bounds {bounds}",
    "learn-few": "learn {problem} {demos} -o {case}.out.json --l2 0.05 --max-iterations 3",
    "learn-resume": "learn {problem} {demos} -o {case}.out.json --l2 0.05 --resume",
    "learn-horizon": "learn {problem} {demos} -o {case}.out.json --l2 0.05 --horizon {longer} --memory 25K",
}

# -- Questions to a fit --------------------------------------------------------------------------------------

OF_FIT = {
    "likelihood": "likelihood {problem} {demos} --model {model}",
    "likelihood-goal": "likelihood {problem} {demos} --model {model} --ends goal --threads 2",
    "marginals": "marginals {problem} {model}",
    "marginals-t": "marginals {problem} {model} --t 3",
    "marginals-actions": "marginals {problem} {model} --t 3 --of state-action",
    "marginals-steps": "marginals {problem} {model} --of transition",
    "marginals-to": "marginals {problem} {model} --to {goal} --threads 2",
    "marginals-from": "marginals {problem} {model} --from {weights} --t 2 --horizon 6",
    "marginals-goal": "marginals {problem} {model} --goal {goal} --memory 25K",
    "marginals-ends": "marginals {problem} {model} --from {start} --to {goal} --ends goal",
    "path": "path {problem} {model} --from {start} --to {goal}",
    "path-anywhere": "path {problem} {model} --from {start}",
    "path-k": "path {problem} {model} --from {start} --to {goal} --k 4",
    "path-loopless": "path {problem} {model} --from {start} --to {goal} --k 3 --loopless --ends goal",
    "path-any-length": "path {problem} {model} --from {start} --to {goal} --horizon none --k 2",
    "path-any-length-loopless": "path {problem} {model} --from {start} --to {goal} --horizon none --k 3 --loopless",
    "path-weights": "path {problem} {model} --from {weights} --to {prior} --horizon 7 --memory 25K",
    "path-pairs": "path {problem} {model} --pairs {pairs}.csv -o {case}.out.jsonl",
    "path-pairs-any-length": "path {problem} {model} --pairs {pairs}.jsonl --horizon none --threads 2",
    "path-pairs-goal": "path {problem} {model} --pairs {pairs}.csv --ends goal --horizon 9",
    "sample": "sample {problem} {model} -n 20 --seed 3 -o {case}.out.jsonl",
    "sample-npz": "sample {problem} {model} -n 20 --seed 4 --threads 2 -o {case}.npz",
    "sample-from": "sample {problem} {model} -n 10 --seed 5 --from {weights} --horizon {longer} -o {case}.out.jsonl",
    "sample-prefix": "sample {problem} {model} -n 10 --seed 6 --prefix {prefix} -o {case}.out.jsonl",
    "sample-to": "sample {problem} {model} -n 10 --seed 7 --to {goal} -o {case}.out.jsonl",
    "sample-prefix-to": "sample {problem} {model} -n 9 --prefix {prefix} --to {goal} --ends goal --memory 25K -o {case}.npz",
    "policy": "policy {problem} {model} -o {case}.out.json",
    "policy-t": "policy {problem} {model} --t 2",
    "policy-rollouts": "policy {problem} {model} --rollouts 40 --seed 2 --discount 0.8 --threads 2",
    "policy-to": "policy {problem} {model} --to {goal} --from {start} --discount 0.9",
    "policy-goal": "policy {problem} {model} --goal {goal} --ends goal --horizon {longer} --memory 40K",
    "destinations": "destinations {problem} {model} --prefix {prefix}",
    "destinations-uniform": "destinations {problem} {model} --prefix {prefix} --prior uniform --top 3",
    "destinations-model": "destinations {problem} {model} --prefix {prefix} --prior model",
    "destinations-prior": "destinations {problem} {model} --prefix {prefix} --prior {prior} --threads 2",
    "destinations-ends": "destinations {problem} {model} --prefix {prefix} --ends anywhere --horizon {longer}",
    "destinations-follow": "destinations {problem} {model} --follow < {steps}",
    "destinations-follow-prefix": "destinations {problem} {model} --prefix {prefix} --follow --top 2 --prior uniform < {rest}",
    "lengths": "lengths {problem} {model}",
    "lengths-to": "lengths {problem} {model} --from {start} --to {goal}",
    "lengths-from": "lengths {problem} {model} --from {weights} --threads 2",
    "lengths-ends": "lengths {problem} {model} --from {start} --ends horizon --memory 25K",
    "lengths-prefix": "lengths {problem} {model} --prefix {prefix} --horizon {longer}",
    "score": "score {problem} {model} {demos} -o {case}.out.jsonl",
    "score-worst": "score {problem} {model} {demos} --worst 3 --ends goal --threads 2",
    "score-longer": "score {problem} {model} {demos} --horizon {longer} --memory 25K",
    "summary": "summary {problem} {model} {demos}",
    "summary-level": "summary {problem} {model} {demos} --level 0.8 --threads 2 --memory 40K",
    "evaluate": "evaluate {problem} {model}",
    "evaluate-demos": "evaluate {problem} {model} --demos {demos} --discount 0.9 --threads 2 --memory 40K",
    "counterfactual": "counterfactual {problem} {model} --close {goal} --from {start}",
    "counterfactual-outcomes": "counterfactual {problem} {model} --close {start} --outcome length --outcome logsum --robust",
    "counterfactual-to": "counterfactual {problem} {model} --from {start} --to {goal} --flows 2 --level 0.9 --threads 2",
    "plan": "plan {problem} --model {model} --discount 0.9",
    "rollouts": "rollouts {problem} --model {model} -n 10 --seed 1 --discount 0.9 --longest 8 -o {case}.out.jsonl",
}

# -- Environments --------------------------------------------------------------------------------------------

ENVIRONMENTS = {
    "list": "env --list",
    "no-name": "env",
    "frozenlake-4x4": "env frozenlake-4x4 -o {case}.out.json",
    "frozenlake-4x4-sure": "env FrozenLake-v1 --not-slippery -o {case}.out.json",
    "frozenlake-8x8": "env frozenlake-8x8 --discount 0.9 -o {case}.npz",
    "frozenlake-random": "env frozenlake-random --size 6 --p-frozen 0.7 --seed 9 --slippery -o {case}.npz",
    "taxi": "env Taxi-v3 -o {case}.npz",
    "taxi-kinds": "env taxi --features kinds -o {case}.npz",
    "taxi-transitions": "env taxi --features transitions -o {case}.npz",
    "nchain": "env NChain-v0 -o {case}.out.json",
    "nchain-settings": "env nchain --n 7 --slip 0.3 --small 1.5 --large 20 --features transitions -o {case}.out.json",
    "cliffwalking": "env CliffWalking-v1 -o {case}.npz",
    "cliffwalking-slippery": "env cliffwalking --slippery --features kinds -o {case}.npz",
    "linear-chain": "env linear-chain --n 6 --discount 0.5 -o {case}.out.json",
    "demo": "demo --out {case}-files",
    "demo-seed": "demo --out {case}-files --seed 3 -n 20",
}

# -- Roads ---------------------------------------------------------------------------------------------------

# In this order: each reads what earlier ones wrote. maps.py makes map.osm.pbf, the .gpx files and the tables.
ROADS = {
    "city": "roads city -o map.osm --trips trips.csv --paths truth.jsonl -n 300 --seed 3",
    "import": "roads import map.osm -o city.npz --features type,time,signals,turns --export city.geojson --export city.fgb",
    "import-paper": "roads import map.osm -o paper.npz",
    "import-pbf": "roads import map.osm.pbf -o pbf.npz --features paper,length,time,link,signals,crossings,turns,angle",
    "import-gz": "roads import map.osm.gz -o gz.npz --features length,link --service --keep-all --u-turns",
    "import-compress": "roads import map.osm -o small.npz --features type,time,signals,turns --compress --export small.geojson",
    "import-edges": "roads import edges.csv -o edges.npz --nodes nodes.csv --features length,lanes,turns --export edges.fgb",
    "import-columns": "roads import map.osm -o columns.npz --columns own.csv --missing 0 --per-metre --skip-unknown",
    "import-columns-refused": "roads import map.osm -o refused.npz --features time --columns own.csv",
    "match": "roads match city.npz trips.csv -o paths.jsonl --shortest 60 --keep-cyclic --dropped dropped.csv",
    "match-defaults": "roads match city.npz trips.csv -o defaults.jsonl --dropped defaults.csv --threads 2",
    "match-settings": "roads match city.npz trips.csv -o set.jsonl --sigma 8 --radius 120 --least-metres 800 --dropped set.csv",
    "match-area": "roads match city.npz trips.csv -o area.jsonl --area 43.0,-20.0,1 --dropped area.csv",
    "match-particles": "roads match city.npz trips.csv -o p.jsonl --method particles --seed 2 --shortest 60 --dropped p.csv",
    "match-particles-threads": "roads match city.npz trips.csv -o particles2.jsonl --method particles --seed 2 --threads 2",
    "match-gpx": "roads match city.npz some.gpx -o gpx.jsonl --shortest 30",
    "match-rows": "roads match city.npz rows.csv -o rows.jsonl --shortest 30",
    "match-small": "roads match small.npz trips.csv -o small.jsonl",
    "learn": "roads learn city.npz paths.jsonl -o drivers.json --held-out held-out.jsonl --train train.jsonl",
    "learn-threads": "roads learn city.npz paths.jsonl -o all.json --summary --level 0.9 --threads 2 --bounds=-5,0",
    "learn-exact": "roads learn city.npz paths.jsonl -o exact.json --inference exact --summary --longest 120 --l2 0.0001",
    "learn-share": "roads learn city.npz paths.jsonl -o s.json --share 0.5 --seed 7 --held-out s-test.jsonl --train s.jsonl",
    "learn-goal": "roads learn city.npz paths.jsonl -o goal.json --inference exact --ends goal --longest 50 --max-iterations 3",
    "learn-resume": (
        "roads learn city.npz paths.jsonl -o goal.json --inference exact --ends goal --longest 50 --horizon 60 "
        "--max-iterations 2 --memory 20M --resume"
    ),
    "learn-small": "roads learn small.npz small.jsonl -o small.json --bounds=-5,0",
    "evaluate": (
        "roads evaluate city.npz drivers.json held-out.jsonl --train train.jsonl --maps maps -o judged.csv --destinations 6"
    ),
    "evaluate-exact": "roads evaluate city.npz exact.json held-out.jsonl --destinations 4 --seed 5 --threads 2 --memory 20M",
    "evaluate-small": "roads evaluate small.npz small.json small.jsonl --train small.jsonl --maps small-maps --destinations 3",
    "forecast": "roads forecast city.npz drivers.json --from 10 --to 900 --k 3 --map route.svg -o route.geojson",
    "forecast-likeliest": "roads forecast city.npz drivers.json --from 10 --to 900 --k 3 --overlap 1",
    "export-parquet": "roads export city.npz drivers.json -o costs.parquet",
    "export-gpkg": "roads export city.npz --routes held-out.jsonl -o paths.gpkg",
    "export-osrm": "roads export city.npz all.json --to osrm -o segments.csv --turns turns.csv",
    "export-graphhopper": "roads export city.npz all.json --to graphhopper -o graphhopper.json",
    "export-valhalla": "roads export city.npz all.json --to valhalla -o valhalla.json",
    "forecast-png": "roads forecast city.npz drivers.json --from 43.0,-20.0 --to 200 --map route.png --threads 2 --memory 10M",
    "forecast-trace": "roads forecast city.npz drivers.json --trace begun.gpx --map ends.svg -o ends.geojson",
    "forecast-trace-small": "roads forecast small.npz small.json --trace trips.csv --map small-ends.png",
    "check": "check city.npz paths.jsonl",
    "likelihood": "likelihood city.npz held-out.jsonl --model drivers.json",
    "score": "score city.npz drivers.json held-out.jsonl -o scores.jsonl",
    "path": "path city.npz drivers.json --from 10 --to 900 --k 3 --loopless",
    "path-pairs": "path city.npz drivers.json --pairs pairs.csv -o routes.jsonl --horizon none",
    "destinations": "destinations city.npz exact.json --prefix {prefix} --top 10",
    "lengths": "lengths city.npz exact.json --from 10",
    "marginals": "marginals city.npz exact.json --t 20 --threads 2",
    "summary": "summary city.npz drivers.json train.jsonl",
}

# With real maps and trips, if `--data` is given.
REAL_ROADS = {
    "import-andorra": "roads import {data}/andorra.osm.pbf -o andorra.npz --features paper,time,turns --export andorra.geojson",
    "import-andorra-compress": "roads import {data}/andorra.osm.pbf -o andorra-small.npz --compress --u-turns",
    "import-monaco": "roads import {data}/monaco.osm.gz -o monaco.npz --features paper,link,angle --service",
    "import-issue": "roads import {data}/map-issue13.osm.gz -o issue.npz --keep-all",
    "match-andorra": "roads match andorra.npz {data}/andorra_for_map_matching.gpx -o andorra.jsonl --keep-cyclic",
    "match-andorra-particles": (
        "roads match andorra.npz {data}/andorra_for_map_matching.gpx -o p.jsonl --method particles --keep-cyclic"
    ),
    "match-issue": "roads match issue.npz {data}/issue-13.gpx -o issue.jsonl --shortest 1 --least-metres 1",
}

# -- The paper's experiments ---------------------------------------------------------------------------------

# `padding` measures time. It has a folder of its own, so that the page of the others is the same in every run.
REPRODUCE = {
    "recovery": "reproduce reward-recovery ziebart --quick --seed 1 --out recovery",
    "rest": "reproduce worked-example propositions model-free --quick --seed 1 --out rest",
    "rest-kept": "reproduce worked-example propositions model-free --quick --seed 1 --out rest",
    "rest-threads": "reproduce worked-example propositions model-free --quick --seed 2 --threads 2 --out threads",
    "open": "reproduce model-free-rewards reference-policy stationary-policy --quick --repeats 1 --out open",
    "repeats": "reproduce propositions --repeats 3 --seed 5 --out repeats",
    "fresh": "reproduce propositions --repeats 2 --seed 5 --fresh --out repeats",
    "other-settings": "reproduce propositions --repeats 4 --seed 6 --out repeats",
    "unknown": "reproduce nothing --out nothing",
    "no-porto": "reproduce porto --trips none.csv --out nothing",
}
TIMED = {"padding": "reproduce padding --quick --seed 1 --out padding"}
PORTO = {"porto": "reproduce porto --trips ../roads/trips.csv --map ../roads/map.osm --quick --out porto"}

# -- Help ----------------------------------------------------------------------------------------------------

COMMANDS = (
    "demo learn summary likelihood marginals path sample policy destinations lengths samples plan rollouts evaluate score "
    "cross-validate env check roads reproduce"
)
ROAD_COMMANDS = "import city match learn evaluate forecast"

# -- Interruptions -------------------------------------------------------------------------------------------

# Ctrl-C in work that takes much longer. How far it came differs from run to run: of its files, only the names are kept.
INTERRUPTED = {
    "import": "roads import country.osm.gz -o new.npz",
    "match": "roads match ../roads/city.npz many.csv -o new.jsonl --threads 1",
    "learn": "learn wide.npz wide.jsonl -o new.json --threads 1",
    "pairs": "path town.npz town.json --pairs many-pairs.csv -o new.jsonl --threads 1",
    "cross-validate": "cross-validate wide.npz wide.jsonl --folds 5 --l2 0.001,0.01 --threads 1",
    "reproduce": "reproduce model-free --out new --threads 1",
}
