"""Archives that numpy writes are read, and archives that revealed writes are read by numpy."""

import io
import json
import zipfile

import numpy as np
import pytest

import problems

WRITERS = {"savez": np.savez, "savez_compressed": np.savez_compressed}


def problem_and_demonstrations(value_dtype="float64"):
    """A problem with every kind of table. Its numbers are exact in `value_dtype`, so that JSON can say the same."""
    rng = np.random.default_rng(13)
    problem = problems.random_problem(rng, 0.9, problems.KINDS, with_reference=True, with_terminal=True)
    assert problem["n_features"] == 4 and min(map(len, problems.flat(problem["features"]).values())) > 0
    problem["features"]["names"] = ["längd", "目標", "two words", "plain"]
    demonstrations = problems.random_demonstrations(rng, problem, "anywhere", 7)

    def as_written(value):
        return float(np.array(value, dtype=value_dtype))

    for demonstration in demonstrations:
        demonstration["weight"] = as_written(demonstration["weight"])
    problem = json.loads(json.dumps(problem), parse_float=as_written)
    return problem, demonstrations


def columns(problem, index_dtype="int64", value_dtype="float64"):
    """The arrays of a problem archive; counts and discount stay Python numbers, as a user would write them."""
    arrays = {}
    for name, value in problems.flat(problem).items():
        if isinstance(value, list) and name != "features.names":
            is_float = name.endswith((".p", ".value"))
            value = np.array(value, dtype=value_dtype if is_float else index_dtype)
        arrays[name] = value
    return arrays


@pytest.fixture
def evaluate(revealed, tmp_path):
    """Log-likelihood and gradient of files at a fixed theta."""

    def run(problem_file, demonstrations_file, n_features):
        theta = problems.save_json(tmp_path / "theta.json", [0.5 - 0.3 * k for k in range(n_features)])
        answer = revealed("likelihood", problem_file, demonstrations_file, "--theta", theta)
        return answer["log_partition"], answer["log_likelihood"], answer["gradient"]

    return run


def from_json(evaluate, tmp_path, problem, demonstrations):
    problem_file = problems.save_json(tmp_path / "problem.json", problem)
    lines = problems.save_lines(tmp_path / "demonstrations.jsonl", demonstrations)
    return evaluate(problem_file, lines, problem["n_features"])


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("index_dtype", ["int32", "int64", "uint8"])
@pytest.mark.parametrize("value_dtype", ["float32", "float64"])
def test_numpys_archives_say_the_same_as_json(evaluate, tmp_path, writer, index_dtype, value_dtype):
    problem, demonstrations = problem_and_demonstrations(value_dtype)
    WRITERS[writer](tmp_path / "problem.npz", **columns(problem, index_dtype, value_dtype))
    arrays = problems.demonstration_arrays(demonstrations)
    signed = "int8" if index_dtype == "uint8" else index_dtype  # the last action of each is -1
    dtypes = {"offsets": index_dtype, "states": index_dtype, "actions": signed, "weights": value_dtype}
    arrays = {name: array.astype(dtypes[name]) for name, array in arrays.items()}
    WRITERS[writer](tmp_path / "demonstrations.npz", **arrays)

    found = evaluate(tmp_path / "problem.npz", tmp_path / "demonstrations.npz", problem["n_features"])
    assert found == from_json(evaluate, tmp_path, problem, demonstrations)


@pytest.mark.parametrize("index_dtype", ["int8", "int16", "uint16", "uint32", "uint64", ">i4", ">i8"])
@pytest.mark.parametrize("value_dtype", [">f4", ">f8"])
def test_other_widths_and_byte_orders(evaluate, tmp_path, index_dtype, value_dtype):
    problem, demonstrations = problem_and_demonstrations(value_dtype)
    np.savez(tmp_path / "problem.npz", **columns(problem, index_dtype, value_dtype))
    lines = problems.save_lines(tmp_path / "demonstrations.jsonl", demonstrations)
    found = evaluate(tmp_path / "problem.npz", lines, problem["n_features"])
    assert found == from_json(evaluate, tmp_path, problem, demonstrations)


SCALARS = {"python": int, "int32": np.int32, "uint8": np.uint8, "0-d": np.array, "one element": np.atleast_1d}


@pytest.mark.parametrize("scalar", SCALARS.values(), ids=SCALARS)
def test_scalars_of_every_sort(evaluate, tmp_path, scalar):
    problem, demonstrations = problem_and_demonstrations()
    arrays = columns(problem)
    arrays |= {name: scalar(arrays[name]) for name in ("n_states", "n_actions", "n_features")}
    arrays["discount"] = np.array(arrays["discount"])
    del arrays["format"]  # may be absent
    np.savez(tmp_path / "problem.npz", **arrays)
    lines = problems.save_lines(tmp_path / "demonstrations.jsonl", demonstrations)
    found = evaluate(tmp_path / "problem.npz", lines, problem["n_features"])
    assert found == from_json(evaluate, tmp_path, problem, demonstrations)


def test_a_discount_written_as_an_integer(evaluate, tmp_path):
    problem, demonstrations = problem_and_demonstrations()
    problem["discount"] = 1
    np.savez(tmp_path / "problem.npz", **columns(problem))
    lines = problems.save_lines(tmp_path / "demonstrations.jsonl", demonstrations)
    found = evaluate(tmp_path / "problem.npz", lines, problem["n_features"])
    assert found == from_json(evaluate, tmp_path, problem, demonstrations)


@pytest.mark.parametrize("dtype", [None, "<U40", ">U40"])
def test_unicode_names_arrive_in_the_model(revealed, tmp_path, dtype):
    problem, demonstrations = problem_and_demonstrations()
    names = np.array(problem["features"]["names"], dtype=dtype)
    np.savez(tmp_path / "problem.npz", **columns(problem) | {"features.names": names})
    lines = problems.save_lines(tmp_path / "demonstrations.jsonl", demonstrations)
    model = revealed("learn", tmp_path / "problem.npz", lines, "-o", tmp_path / "model.json", "--bounds", "-5,5")
    assert model["names"] == problem["features"]["names"]


def test_no_terminal_states_written_as_an_empty_list(evaluate, tmp_path):
    problem, demonstrations = problem_and_demonstrations()
    problem["terminal"] = []
    np.savez(tmp_path / "problem.npz", **columns(problem) | {"terminal": []})
    lines = problems.save_lines(tmp_path / "demonstrations.jsonl", demonstrations)
    found = evaluate(tmp_path / "problem.npz", lines, problem["n_features"])
    assert found == from_json(evaluate, tmp_path, problem, demonstrations)


def test_numpy_reads_the_problem_that_revealed_writes(revealed, tmp_path):
    revealed("env", "frozenlake-4x4", "-o", tmp_path / "lake.npz")
    revealed("env", "frozenlake-4x4", "-o", tmp_path / "lake.json")
    document = problems.flat(json.loads((tmp_path / "lake.json").read_text(encoding="utf-8")))
    with np.load(tmp_path / "lake.npz", allow_pickle=False) as archive:
        assert sorted(archive.files) == sorted(document)
        for name, expected in document.items():
            array = archive[name]
            assert array.tolist() == expected, name
            assert array.ndim == (1 if isinstance(expected, list) else 0), name
            if name in ("format", "features.names"):
                assert array.dtype.kind == "U", name
            elif name.endswith((".p", ".value", ".true")) or name == "discount":
                assert array.dtype == np.float64, name
            else:
                assert array.dtype == np.int64, name


def test_numpy_reads_the_paths_that_revealed_samples(revealed, tmp_path):
    revealed("env", "frozenlake-4x4", "-o", tmp_path / "lake.json")
    model = {"format": "revealed-model/1", "theta": [-0.1] * 16, "horizon": 20, "ends": "anywhere"}
    problems.save_json(tmp_path / "model.json", model)
    for name in ("paths.npz", "paths.jsonl"):
        revealed("sample", tmp_path / "lake.json", tmp_path / "model.json", "-n", 30, "--seed", 5, "-o", tmp_path / name)
    lines = [json.loads(line) for line in (tmp_path / "paths.jsonl").read_text().splitlines()]
    expected = problems.demonstration_arrays(lines)
    with np.load(tmp_path / "paths.npz", allow_pickle=False) as archive:
        assert sorted(archive.files) == ["actions", "offsets", "states"]
        for name in archive.files:
            assert archive[name].dtype == np.int64 and archive[name].ndim == 1
            np.testing.assert_array_equal(archive[name], expected[name])
        assert len(archive["offsets"]) == 31


REQUIRED = ["n_states", "n_actions", "n_features", "start.state", "start.p",
            "transitions.from", "transitions.action", "transitions.to", "transitions.p"]  # fmt: skip
OF_A_TABLE = ["features.state.state", "features.state.feature", "features.state.value", "features.state_action.action",
              "features.transition.transition", "reference.p"]  # fmt: skip
INDICES = ["terminal", "start.state", "transitions.to", "features.state_action.feature", "reference.action"]
VALUES = ["start.p", "transitions.p", "features.transition.value", "reference.p"]
SPOILED = {
    "strings": lambda array: array.astype(str),
    "complex": lambda array: array.astype(complex),
    "two-dimensional": lambda array: array.reshape(1, -1),
    "0-d": lambda array: np.array(array[0]),
    "objects": lambda array: array.astype(object),
    "dates": lambda array: array.astype("int64").astype("datetime64[s]"),
    "records": lambda array: np.array([(value,) for value in array], dtype=[("value", array.dtype)]),
}


def refusal(revealed, problem_file):
    """The message for a problem that cannot be read; the other files are not even opened."""
    return revealed.refuses("likelihood", problem_file, "unread.jsonl", "--theta", "unread.json")


@pytest.fixture
def refused(revealed, tmp_path):
    """The message for a problem archive, which must begin with the name of the file and then of the array."""

    def run(name, arrays):
        file = tmp_path / "problem.npz"
        np.savez(file, **arrays)
        message = refusal(revealed, file)
        assert message.startswith(f"{file}: ") and name in message.removeprefix(f"{file}: "), message
        return message

    return run


@pytest.mark.parametrize("name", REQUIRED + OF_A_TABLE)
def test_a_missing_array_is_named(refused, name):
    arrays = columns(problem_and_demonstrations()[0])
    del arrays[name]
    assert f"{name} is missing" in refused(name, arrays)


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("name", INDICES + VALUES)
def test_a_column_of_the_wrong_type_is_named(refused, name, how):
    arrays = columns(problem_and_demonstrations()[0])
    refused(name, arrays | {name: SPOILED[how](arrays[name])})


@pytest.mark.parametrize("name", INDICES)
def test_indices_that_are_floats_are_named(refused, name):
    arrays = columns(problem_and_demonstrations()[0])
    refused(name, arrays | {name: arrays[name].astype(float)})


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", VALUES)
def test_values_that_are_not_numbers_are_named(refused, name, value):
    arrays = columns(problem_and_demonstrations()[0])
    arrays[name] = np.r_[arrays[name][:-1], value]
    table, column = name.rsplit(".", 1)
    message = refused(table, arrays)
    assert column in message and f"row {len(arrays[name]) - 1}" in message, message


@pytest.mark.parametrize("value", ["four", 4.0, 4j, [4, 4], [[4]], None, -4])
@pytest.mark.parametrize("name", ["n_states", "n_actions", "n_features"])
def test_a_count_of_the_wrong_type_is_named(refused, name, value):
    refused(name, columns(problem_and_demonstrations()[0]) | {name: np.array(value)})


@pytest.mark.parametrize("value", ["half", 0.5j, [0.5, 0.5], None, np.nan, 1.5])
def test_a_discount_of_the_wrong_type_is_named(refused, value):
    refused("discount", columns(problem_and_demonstrations()[0]) | {"discount": np.array(value)})


@pytest.mark.parametrize("value", [[1, 2], [None, None], "one", [["a", "b"]]])
def test_names_of_the_wrong_type_are_named(refused, value):
    refused("features.names", columns(problem_and_demonstrations()[0]) | {"features.names": np.array(value)})


@pytest.mark.parametrize("name", ["transitions.to", "reference.p", "features.names"])
def test_an_array_of_objects_is_called_by_its_type(refused, name):
    """What numpy makes of a column of a pandas table, or of rows of different lengths."""
    arrays = columns(problem_and_demonstrations()[0])
    message = refused(name, arrays | {name: np.array(arrays[name], dtype=object)})
    assert "damaged" not in message and f"{name} is an array of " in message, message


@pytest.mark.parametrize("how", ["missing", *SPOILED])
@pytest.mark.parametrize("name", ["offsets", "states", "actions"])
def test_demonstrations_with_a_wrong_array(revealed, tmp_path, name, how):
    problem, demonstrations = problem_and_demonstrations()
    problem_file = problems.save_json(tmp_path / "problem.json", problem)
    arrays = problems.demonstration_arrays(demonstrations)
    column = arrays.pop(name)
    if how != "missing":
        arrays[name] = SPOILED[how](column)
    np.savez(tmp_path / "demonstrations.npz", **arrays)
    message = revealed.refuses("likelihood", problem_file, tmp_path / "demonstrations.npz", "--theta", tmp_path / "unread.json")
    reason = message.removeprefix(f"{tmp_path / 'demonstrations.npz'}: ")
    assert reason.startswith((f"{name} ", f"array {name} ")), message


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("writer", WRITERS)
def test_an_archive_cut_short(revealed, tmp_path, writer, part):
    """The list of arrays stands at the end of an archive: without it only the file can be named."""
    file = tmp_path / "problem.npz"
    WRITERS[writer](file, **columns(problem_and_demonstrations()[0]))
    content = file.read_bytes()
    file.write_bytes(content[: int(part * len(content))])
    message = refusal(revealed, file)
    assert message.startswith(f"{file}: is "), message


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
@pytest.mark.parametrize("keep", [0, 5, 9, 40, 128, 131, -1])
def test_an_array_cut_short_is_named(revealed, tmp_path, method, keep):
    file = tmp_path / "problem.npz"
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, value in columns(problem_and_demonstrations()[0]).items():
            content = io.BytesIO()
            np.save(content, value)
            archive.writestr(f"{name}.npy", content.getvalue()[:keep] if name == "transitions.p" else content.getvalue())
    message = refusal(revealed, file)
    assert message.startswith(f"{file}: array transitions.p "), message


@pytest.mark.parametrize("writer", WRITERS)
def test_a_damaged_array_is_named(revealed, tmp_path, writer):
    file = tmp_path / "problem.npz"
    WRITERS[writer](file, **columns(problem_and_demonstrations()[0]))
    with zipfile.ZipFile(file) as archive:
        member = archive.getinfo("transitions.p.npy")
    content = bytearray(file.read_bytes())
    last_byte = content.index(b"transitions.p.npy", member.header_offset) + len("transitions.p.npy") + member.compress_size - 1
    content[last_byte] ^= 0xFF
    file.write_bytes(content)
    message = refusal(revealed, file)
    assert message.startswith(f"{file}: array transitions.p "), message
