"""Cases that must fail, as data: unreadable files, invalid content, and invalid commands."""

# Commands that read a file BAD, and its possible extensions. It is missing, empty, noise, cut short, or a folder.
READERS = {
    "learn BAD demos.jsonl -o new.json": ("json", "npz"),
    "learn problem.json BAD -o new.json": ("jsonl", "npz"),
    "learn problem.json demos.jsonl -o new.json --bounds BAD": ("json",),
    "learn --model-free BAD problem.json demos.jsonl -o new.json": ("jsonl", "npz"),
    "likelihood problem.json demos.jsonl --theta BAD": ("json",),
    "marginals problem.json BAD": ("json",),
    "marginals problem.json model.json --from BAD": ("json",),
    "destinations problem.json model.json --prefix 0 --prior BAD": ("json",),
    "path problem.json model.json --pairs BAD": ("csv", "jsonl"),
    "check BAD": ("json", "npz"),
    "check problem.json BAD": ("jsonl", "npz"),
    "roads import BAD -o new.npz": ("osm", "osm.gz", "osm.pbf", "csv"),
    "roads match roads.npz BAD -o new.jsonl": ("csv", "csv.gz", "gpx"),
    "roads learn BAD demos.jsonl -o new.json": ("npz",),
    "roads forecast BAD model.json --from 0 --to 1": ("npz",),
}

# What is wrong with a problem: (a place in fork.json, what stands there instead). None takes it out.
BAD_PROBLEMS = [
    ("transitions/p/4", 0.5001), ("transitions/p/3", -0.25), ("transitions/p/0", None), ("transitions/p/0", "1"),
    ("transitions/from/1", 7), ("transitions/to/4", 7), ("transitions/action/0", 7), ("transitions/to/2", -1),
    ("transitions/to/2", 1.5), ("transitions/to/3", 1), ("transitions/p", [1.0, 1.0, 0.5, 0.5]), ("transitions/to", None),
    ("start/state/0", 7), ("start/p/0", 0.9), ("start", {"state": [], "p": []}), ("start", {"state": [0, 0], "p": [0.5, 0.5]}),
    ("terminal/1", 7), ("terminal", [1]), ("terminal", [0, 1, 2]), ("features/state/state/0", 7), ("features/state/feature/0", 7),
    ("features/state_action/action/0", 7), ("features/state_action/feature/0", 7), ("features/transition/transition/0", 7),
    ("features/transition/feature/0", 7), ("features/names", ["left"]), ("n_states", 0), ("n_states", None), ("n_actions", 2.5),
    ("n_features", 1), ("discount", 1.5), ("discount", "high"), ("reference", {"state": [0], "action": [0], "p": [0.5]}),
    ("reference", {"state": [0], "action": [7], "p": [1.0]}), ("format", "revealed-problem/2"), ("layout", {"grid": [2, 5]}),
    ("layout", {"x": [1.0], "y": [2.0]}), ("reward", {"true": [1.0]}), ("colour", "red"),
]  # fmt: skip

BAD_MODELS = [
    ("theta", [1.0]), ("theta", []), ("theta", None), ("theta/1", "much"), ("horizon", 0), ("horizon", None), ("ends", "nowhere"),
    ("format", "revealed-model/9"), ("names", ["one"]), ("inference", "guess"), ("discount", 0.5), ("problem_digest", "fnv1a64:"),
]  # fmt: skip

BAD_DEMONSTRATIONS = [
    '{"states": [0, 2], "actions": [0]}', '{"states": [0, 0, 1], "actions": [2, 3]}', '{"states": [0, 1], "actions": []}',
    '{"states": [0, 1], "actions": [0, 0]}', '{"states": [1], "actions": []}', '{"states": [0, 1, 2], "actions": [0, 0]}',
    '{"states": [0, 3], "actions": [0]}', '{"states": [], "actions": []}', '{"states": [0], "actions": [], "weight": -2}',
    '{"states": [0, 2], "actions": [0], "id": "trip 9"}', '{"states": [0, 0], "actions": [2]}', '{"actions": []}', "[1]",
    '{"states": [0], "actions": [], "weight": 0}', '{"states": [0.5], "actions": []}', "\n\n",
]  # fmt: skip

# Run in a folder with the files of `inputs.sound`. Some of them only warn, or are accepted.
REFUSED = """
frobnicate
learn
learn problem.json
learn problem.json demos.jsonl
learn problem.json demos.jsonl -o new.json --ends nowhere
learn problem.json demos.jsonl -o new.json --frobnicate
learn problem.json demos.jsonl -o new.json --horizon 2
learn problem.json demos.jsonl -o new.json --horizon 0
learn problem.json demos.jsonl -o new.json --horizon none
learn problem.json demos.jsonl -o new.json --ends horizon --horizon 3
learn problem.json demos.jsonl -o new.json --bounds 3,-3
learn problem.json demos.jsonl -o new.json --bounds=-1
learn problem.json demos.jsonl -o new.json --bounds=-1,nan
learn problem.json demos.jsonl -o new.json --bounds inf,inf
learn problem.json demos.jsonl -o new.json --l2=-1
learn problem.json demos.jsonl -o new.json --l2 nan
learn problem.json demos.jsonl -o new.json --threads 0
learn problem.json demos.jsonl -o new.json --memory 1T
learn problem.json demos.jsonl -o new.json --memory 1
learn problem.json demos.jsonl -o new.json --level 2 --summary
learn problem.json demos.jsonl -o new.json --level 0.9
learn problem.json demos.jsonl -o new.json --max-iterations -1
learn problem.json demos.jsonl -o problem.json
learn problem.json demos.jsonl -o ./demos.jsonl
learn problem.json demos.jsonl -o no/such/place/new.json
learn problem.json demos.jsonl -o folder
learn problem.json demos.jsonl -o new.txt
learn problem.txt demos.jsonl -o new.json
learn problem.json demos.csv -o new.json
learn problem.json demos.jsonl -o new.json --inference ziebart2008 --ends goal
learn problem.json demos.jsonl -o new.json --inference recursive-logit --ends anywhere
learn problem.json demos.jsonl -o new.json --inference recursive-logit --horizon 4
learn problem.json demos.jsonl -o new.json --inference causal-dual --summary
learn problem.json demos.jsonl -o new.json --baseline one
learn problem.json demos.jsonl -o causal.json --resume
learn problem.json demos.jsonl -o unbounded.json --ends terminal
learn --model-free samples.jsonl demos.jsonl -o new.json
learn --model-free samples.jsonl features.jsonl -o new.json --ends goal
learn --model-free samples.jsonl features.jsonl -o new.json --inference causal
learn --model-free samples.jsonl features.jsonl -o new.json --baseline reference
learn --model-free samples.jsonl features.jsonl -o free.json
learn --model-free samples.jsonl problem.json demos.jsonl -o new.json
likelihood problem.json demos.jsonl
likelihood problem.json demos.jsonl --theta theta.json --model model.json
likelihood problem.json demos.jsonl --theta theta.json --horizon 1
likelihood problem.json demos.jsonl --theta huge.json
likelihood problem.json demos.jsonl --theta few.json
likelihood problem.json demos.jsonl --theta model.json
marginals problem.json model.json --t 0
marginals problem.json model.json --t 99
marginals problem.json model.json --of choice
marginals problem.json model.json --to 9
marginals problem.json model.json --to 1 --goal 2
marginals problem.json model.json --from 9
marginals problem.json model.json --from nobody.json
marginals problem.json model.json --ends goal
marginals problem.json model.json --ends terminal --horizon 1
marginals problem.json problem.json
marginals other.json model.json
path problem.json model.json
path problem.json model.json --from 0 --to 9
path problem.json model.json --from 0 --to 1 --k 0
path problem.json model.json --from 1 --to 0
path problem.json model.json --from 0 --to 1 --horizon many
path problem.json model.json --from 0 --to 1 --horizon none --k 3
path problem.json model.json --pairs pairs.csv --k 2
path problem.json model.json --pairs pairs.csv --from 0
path problem.json model.json --pairs pairs.csv -o pairs.csv
path problem.json model.json --pairs out-of-range.csv
path problem.json model.json --pairs no-columns.csv
path problem.json model.json --pairs pairs.txt
path problem.json causal.json --pairs pairs.csv
sample problem.json model.json -n 0 -o new.jsonl
sample problem.json model.json -n 1 -o new
sample problem.json model.json -n 1 --goal 3 -o new.jsonl
sample problem.json model.json -n 1 --prefix 0,0 -o new.jsonl
sample problem.json model.json -n 1 --prefix 0,0,2 -o new.jsonl
sample problem.json model.json -n 1 --prefix 0,2,1 --from 0 -o new.jsonl
sample problem.json model.json -n 1 --prefix a,b,c -o new.jsonl
sample problem.json model.json -n 1 --ends goal -o new.jsonl
sample problem.json model.json -n 1 --seed -1 -o new.jsonl
policy problem.json model.json --t 0
policy problem.json model.json --discount 2
policy problem.json model.json --rollouts 0
destinations problem.json model.json
destinations problem.json model.json --prefix 1,0,0
destinations problem.json model.json --prefix 0 --prior nobody.json
destinations problem.json model.json --prefix 0 --prior nowhere.json
destinations problem.json model.json --prefix 0 --top 0
destinations problem.json model.json --follow < broken.steps
lengths problem.json model.json --prefix 0 --from 0
lengths problem.json model.json --to 9
samples problem.json -n 0 -o new.jsonl
samples problem.json -n 5 --longest 0 -o new.jsonl
samples problem.json -n 5 -o new.csv
plan problem.json
plan problem.json --model model.json --discount 1.5
plan problem.json --model model.json --temperature 0
plan cycle.json --discount 1
rollouts problem.json -n 3 -o new.jsonl
rollouts problem.json --model model.json -n 3 --policy boltzmann -o new.jsonl
rollouts problem.json --model model.json -n 3 --temperature 1 -o new.jsonl
rollouts problem.json --model model.json -n 0 -o new.jsonl
evaluate problem.json model.json
score problem.json model.json demos.jsonl --worst 0
score problem.json model.json demos.jsonl --horizon 1
score problem.json model.json other.jsonl
summary problem.json model.json other.jsonl
summary problem.json model.json demos.jsonl --level 1
summary problem.json dual.json demos.jsonl
cross-validate problem.json demos.jsonl --folds 1
cross-validate problem.json demos.jsonl --folds 9
cross-validate problem.json demos.jsonl --l2=-1
cross-validate problem.json demos.jsonl --l2 a,b
cross-validate problem.json demos.jsonl --ends terminal --horizon 1
env lake-9x9 -o new.json
env frozenlake-4x4
env frozenlake-4x4 -o new.json --discount 2
env frozenlake-4x4 -o new.txt
env frozenlake-4x4 -o folder
env frozenlake-4x4 --n 4 -o new.json
env frozenlake-random --size 1 -o new.json
env frozenlake-random --p-frozen 2 -o new.json
env nchain --slip 2 -o new.json
env nchain --n 1 -o new.json
check other.json other.jsonl
check model.json
check broken.json broken.jsonl
roads
roads city -o new.txt
roads city -o new.osm -n 0
roads import line.osm -o new.npz
roads import line.osm -o line.npz --keep-all
roads import line.osm -o new.json
roads import line.osm -o new.npz --features colour
roads import line.osm -o new.npz --export new.shp
roads import line.osm -o new.npz --keep-all --columns table.csv
roads import page.osm -o new.npz
roads import map.txt -o new.npz
roads import edges.csv -o new.npz
roads match roads.npz swapped.csv -o new.jsonl
roads match roads.npz torn.csv -o new.jsonl
roads match roads.npz backwards.csv -o new.jsonl --dropped new.csv
roads match roads.npz columns.csv -o new.jsonl
roads match roads.npz few.csv -o new.jsonl --area 41.1,x,-8.6,15
roads match roads.npz few.csv -o new.jsonl --sigma 0
roads match roads.npz few.csv -o new.jsonl --method guess
roads match problem.json few.csv -o new.jsonl
roads learn roads.npz driven.jsonl -o new.json --held-out same.jsonl --train same.jsonl
roads learn roads.npz driven.jsonl -o new.json --share 2 --held-out new.jsonl
roads learn roads.npz driven.jsonl -o new.json --longest 1
roads evaluate roads.npz model.json driven.jsonl
roads forecast roads.npz drivers.json --from 41.15,x,-8.6 --to 3
roads forecast roads.npz drivers.json --from 0
roads forecast roads.npz drivers.json --from 0 --to 99999
roads forecast roads.npz drivers.json --from 0 --to 3 --trace few.csv
roads forecast roads.npz drivers.json --from 0 --to 3 --map new.jpg
roads forecast roads.npz drivers.json --from 80,100 --to 3
reproduce nothing
reproduce propositions --repeats 0 --out new
reproduce propositions --quick --out file
""".strip().splitlines()
