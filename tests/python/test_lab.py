"""sinpos.lab: runs, the results file, verdicts, the report, and many machines."""
import importlib.util
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import sinpos
from sinpos.lab import __main__ as command
from sinpos.lab import _plan as plan
from sinpos.lab import _statistics as statistics
from sinpos.lab import _store as store
from sinpos.lab import _verdicts as verdicts

SMALL = os.environ.get("SINPOS_TEST_SIZE") == "small"
SOURCE = pathlib.Path(__file__).parents[2]
TINY = {"steps": 40, "width": 16, "heads": 2, "batch": 16}


def result(side, seed, value, **more):
    """A result that has this number."""
    part = plan.PARTS[side.part]
    run = store.Run(part.experiment, side.encoding, seed, part.settings)
    return store.Result(run, {side.metric: value, **more}, {}, {}, 1.0, "a machine")


def some(n, first=0):
    """Results of n seeds."""
    return [result(plan.Side("distance", "sinusoidal", "shift_linear"), first + i, 0.1 * i) for i in range(n)]


# ------------------------------------------------------------------------------------------------ the results file


def test_lines_are_results_again():
    for one in some(2):
        assert store.result_of(store.line_of(one)) == one
    with pytest.raises(ValueError, match="not a line of results"):
        store.result_of('{"experiment": "order"}')


def test_a_run_is_appended_once(tmp_path):
    file = store.Store(str(tmp_path / "new" / "r.jsonl"))
    assert file.results() == []
    assert file.append(some(1)[0]) and not file.append(some(1)[0])
    assert file.results() == some(1)
    assert store.missing([r.run for r in some(3)], file.results()) == [r.run for r in some(3)[1:]]


def test_whatever_is_left_of_a_line_is_not_a_result(tmp_path):
    """A kill leaves any part of the last line: it is read as if it were not there, and the next run takes its place."""
    path = tmp_path / "r.jsonl"
    first, second, third = (store.line_of(one) + "\n" for one in some(3))
    for cut in range(len(second)):
        path.write_text(first + second[:cut])
        file = store.Store(str(path))
        assert file.results() == some(1)
        assert file.append(some(3)[2])
        assert path.read_text() == first + third


APPENDS = """
import sys
from sinpos.lab import _store as store
file = store.Store(sys.argv[1])
for i in range(100000):
    run = store.Run("order", "none", i, {"filler": "x" * 5000})
    file.append(store.Result(run, {}, {}, {}, 0.0, ""))
    print(i, flush=True)
"""


def test_the_file_survives_a_kill_during_writes(tmp_path):
    path = str(tmp_path / "r.jsonl")
    for wait in (0.0, 0.005, 0.02):
        child = subprocess.Popen([sys.executable, "-c", APPENDS, path], stdout=subprocess.PIPE)
        child.stdout.readline()
        time.sleep(wait)
        child.send_signal(signal.SIGKILL)
        child.wait()
        said = child.stdout.read().count(b"\n") - 1
        child.stdout.close()
        seeds = [r.run.seed for r in store.Store(path).results()]
        assert seeds == list(range(len(seeds))) and len(seeds) > said


def test_files_are_merged(tmp_path):
    for name, results in (("a", some(3)), ("b", some(3, first=2))):
        (tmp_path / name).write_text("".join(store.line_of(r) + "\n" for r in results))
    merged = store.read([str(tmp_path / "a"), str(tmp_path / "b")])
    assert [r.run.seed for r in merged] == [0, 1, 2, 3, 4]
    (tmp_path / "a").write_text("{}\n")
    with pytest.raises(ValueError, match="a, line 1: not a line of results"):
        store.read([str(tmp_path / "a")])


# ------------------------------------------------------------------------------------------------ statistics, verdicts


@pytest.mark.parametrize("freedom, t", [(1, 12.7062047), (2, 4.3026527), (4, 2.7764451), (5, 2.5705818), (30, 2.0422725)])
def test_student(freedom, t):
    """Quantiles of printed tables."""
    assert math.isclose(statistics.t_quantile(0.95, freedom), t, rel_tol=1e-7)
    assert math.isclose(statistics.t_within(t, freedom), 0.95, rel_tol=1e-7)


def test_an_estimate():
    found = statistics.estimate([1.0, 2.0, 3.0, 4.0, 5.0])
    assert found.mean == 3 and math.isclose(found.high, 3 + 2.7764451 * math.sqrt(0.5), rel_tol=1e-7)
    assert math.isclose(found.effect, 3 / math.sqrt(2.5)) and math.isclose(found.p, 0.0132356, rel_tol=1e-4)
    assert statistics.estimate([1.0, 2.0, 3.0], margin=2.0).p == 1.0
    assert statistics.estimate([2.0, 2.0], margin=1.0).p == 0.0 and statistics.estimate([2.0, 2.0], margin=2.0).p == 1.0


def test_holm():
    assert statistics.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def learned(within, beyond, seeds=5):
    """Results of "learned" with these advantages of the learned table."""
    noise = [0.0, 0.001, -0.001, 0.002, -0.002, 0.0][:seeds]
    found = []
    for seed, e in enumerate(noise):
        found.append(result(plan.Side("text", "sinusoidal", "loss_within"), seed, 2.0, loss_beyond=2.5))
        found.append(result(plan.Side("text", "learned", "loss_within"), seed, 2.0 - within + e, loss_beyond=2.5 - beyond + e))
    return next(j for j in verdicts.judge(found) if j.sentence.name == "learned")


@pytest.mark.parametrize("within, beyond, verdict", [
    (0.1, 0.1, "supported"), (-0.1, -0.1, "refuted"), (0.1, -0.1, "conditional"), (0.0, 0.1, "not decided"),
    (0.0, 0.0, "not decided")])
def test_the_rule(within, beyond, verdict):
    assert learned(within, beyond).verdict == verdict


@pytest.mark.parametrize("narrow, verdict", [(0.9, "refuted"), (0.99, "not decided")])
def test_no_contrast_is_refuted_at_its_ceiling(narrow, verdict):
    """A share of 0.99 cannot be exceeded by 0.02: nothing is decided."""
    sides = plan.Side("adding-96", "sinusoidal", "task"), plan.Side("adding-48", "sinusoidal", "task")
    found = [result(side, seed, narrow + 0.0001 * (seed % 3)) for side in sides for seed in range(5)]
    decided = {d.contrast.name: d for j in verdicts.judge(found) for d in j.decided}
    assert decided["wider-task"].verdict == verdict


def test_few_seeds_decide_nothing():
    assert learned(0.1, 0.1, seeds=4).verdict == "not decided"


def test_p_counts_all_planned_contrasts():
    decided = learned(0.01, 0.01).decided[0]
    assert math.isclose(decided.adjusted, decided.estimate.p * len(plan.contrasts()), rel_tol=1e-9)


def test_the_plan():
    """Every side of a contrast is a primary run, and every experiment has a sentence."""
    for contrast in plan.contrasts():
        for side in filter(None, (contrast.larger, contrast.smaller)):
            assert side.encoding in plan.PARTS[side.part].primary
    assert {s.experiment for s in plan.SENTENCES} == set(plan.ABOUT) == {p.experiment for p in plan.PARTS.values()}
    names = [c.name for c in plan.contrasts()]
    assert len(set(names)) == len(names)
    assert sum(plan.seconds_of(run) for run in plan.planned([], plan.SEEDS)) < 90 * 60 * 2


# ------------------------------------------------------------------------------------------------ the report


def test_the_page_is_what_its_results_give(tmp_path, capsys):
    """docs/lab.md and its figures, byte for byte, from the stored results."""
    stored = SOURCE / "tests" / "data" / "lab" / "results.jsonl"
    command.main(["report", "--results", str(stored), "--out", str(tmp_path / "lab.md")])
    written = capsys.readouterr().out.split()
    assert written[0] == str(tmp_path / "lab.md")
    for path in map(pathlib.Path, written):
        assert path.read_bytes() == (SOURCE / "docs" / path.relative_to(tmp_path)).read_bytes()


def test_the_order_of_lines_makes_no_difference(tmp_path, capsys):
    lines = (SOURCE / "tests" / "data" / "lab" / "results.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "a").write_text("".join(lines[1::2]))
    (tmp_path / "b").write_text("".join(lines[::2]))
    command.main(["report", "--results", str(tmp_path / "b"), str(tmp_path / "a"), "--out", str(tmp_path / "lab.md")])
    assert (tmp_path / "lab.md").read_bytes() == (SOURCE / "docs" / "lab.md").read_bytes()
    assert str(tmp_path / "lab.md") in capsys.readouterr().out


def test_the_claims_are_what_the_page_says():
    """sinpos check has the verdicts of the stored results, for what was trained, and none for another encoding."""
    words = {"supported": "holds", "refuted": "does not hold", "conditional": "holds only if", "not decided": "does not apply"}
    judged = {j.sentence.name: j for j in verdicts.judge(store.read([str(SOURCE / "tests" / "data" / "lab" / "results.jsonl")]))}
    for name in ("trainable", "learned"):
        found, = sinpos.check(sinpos.Encoding(64), name, length=16)
        assert found.verdict == words[judged[name].verdict] and "docs/lab.md" in found.why
        estimate = judged[name].decided[0].estimate
        assert estimate is None or math.isclose(found.value, estimate.mean, rel_tol=1e-5)
        other, = sinpos.check(sinpos.Encoding(64, base=500), name, length=16)
        assert other.verdict == "does not apply" and "10000^(-2i/dim) alone" in other.why


# ------------------------------------------------------------------------------------------------ the command


@pytest.mark.parametrize("words, status, says", [
    (["run", "nothing"], 2, "nothing: no experiment has this name"),
    (["run", "--encodings", "nothing"], 2, "nothing: no encoding has this name"),
    (["run", "--seeds", "0"], 2, "--seeds 0: must be 1 or more"),
    (["run", "--budget", "0"], 2, "--budget 0: must be above 0"),
    (["run", "--jobs", "0"], 2, "--jobs 0: must be 1 or more"),
    (["run", "--part", "3/2"], 2, "--part 3/2: must be I/N"),
    (["report", "--results", "/nothing/there"], 3, "/nothing/there: No such file or directory")])
def test_errors(words, status, says, capsys):
    if words[0] == "run":
        pytest.importorskip("torch")
    with pytest.raises(SystemExit) as ended:
        command.main(words)
    lines = capsys.readouterr().err.splitlines()
    assert ended.value.code == status and lines[0].startswith("sinpos.lab: " + says) and lines[1].startswith("hint: ")


def test_without_pytorch():
    """list prints an experiment a line; run says what is missing."""
    words = [sys.executable, "-c", "import sys; sys.modules['torch'] = None; from sinpos.lab.__main__ import main; main(sys.argv[1:])"]
    done = subprocess.run([*words, "list"], capture_output=True, text=True)
    assert done.returncode == 0 and [line.split()[0] for line in done.stdout.splitlines()] == list(plan.ABOUT)
    done = subprocess.run([*words, "run"], capture_output=True, text=True)
    assert done.returncode == 2 and "PyTorch is missing" in done.stderr


# ------------------------------------------------------------------------------------------------ training


def small(monkeypatch, **settings):
    """Parts with these settings, until the test ends."""
    for name, part in list(plan.PARTS.items()):
        monkeypatch.setitem(plan.PARTS, name, part._replace(settings={**part.settings, **settings}, seconds=1.0))


def first_and_last(losses):
    return sum(losses[:3]) / 3, sum(losses[-3:]) / 3


@pytest.mark.parametrize("name", plan.PARTS)
def test_a_tiny_run_of_each_kind(name, monkeypatch):
    """It ends, its loss falls, and its line is whole."""
    torch = pytest.importorskip("torch")
    from sinpos.lab import _text, _work
    from sinpos.lab._corpus import Corpus

    text = torch.tensor(list(b"to be or not to be, that is the question: " * 60), dtype=torch.uint8)
    monkeypatch.setattr(_text, "corpus", lambda: Corpus(text, text[:1000], 128, "0" * 64))
    part = plan.PARTS[name]
    settings = {**part.settings, **TINY, "length": min(part.settings["length"], 40)}
    one = store.result_of(_work.perform(store.Run(part.experiment, part.primary[0], 1, settings), "cpu"))
    losses = next(values for key, values in one.curves.items() if key.startswith(("loss", "distance")))
    before, after = first_and_last(losses)
    assert after < before
    assert all(math.isfinite(v) for v in one.metrics.values()) and one.seconds > 0


@pytest.mark.parametrize("encoding", plan.PARTS["text"].primary + plan.PARTS["text"].further + plan.PARTS["theta"].primary
                         + plan.PARTS["theta"].further)
def test_every_encoding(encoding):
    """Each makes a model that learns a step, and the same model again for the same seed."""
    torch = pytest.importorskip("torch")
    from sinpos.lab import _far, _models, _train

    settings = {**plan.PARTS["far"].settings, **TINY, "steps": 2, "length": 16}
    draw = _far.token_before(settings)
    measured = []
    for _ in range(2):
        model = _models.model_of(settings, encoding, 16, 16, 3, is_causal=True)
        before = [p.detach().clone() for p in model.parameters()]
        _train.train(model, draw, settings, 3)
        assert any(not torch.equal(a, b) for a, b in zip(before, model.parameters()))
        measured.append(_train.measure(model, draw, 8, 0))
    assert measured[0] == measured[1]


@pytest.mark.skipif(SMALL, reason="trains for seconds")
def test_reversal_needs_positions():
    """Without them it stays at what the multiset allows, which is above 1/V; with them it passes 95 %."""
    pytest.importorskip("torch")
    from sinpos.lab import _order

    settings = {**plan.PARTS["order"].settings, "steps": 150}
    baseline = _order.baseline_of("reverse", settings)
    assert 0.3 < baseline < 0.45
    found = {name: _order._learn("reverse", name, 1, settings, "cpu")[0] for name in ("none", "sinusoidal")}
    assert abs(found["none"] - baseline) < 0.02 and found["sinusoidal"] > 0.95


def test_the_multiset_baseline():
    """[0, 0, 1]: rows of 0 see 0 and 1 (one half), that of 1 sees 0 twice."""
    torch = pytest.importorskip("torch")
    from sinpos.lab._order import multiset_accuracy

    assert math.isclose(multiset_accuracy(torch.tensor([[0, 0, 1]]), 2), (0.5 + 0.5 + 1) / 3, rel_tol=1e-6)


@pytest.mark.heavy
def test_what_was_done_is_not_done_again(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    small(monkeypatch, steps=5)
    path = tmp_path / "r.jsonl"
    words = ["run", "distance", "--seeds", "2", "--jobs", "1", "--results", str(path)]
    command.main([*words, "--encodings", "learned"])
    first = path.read_bytes()
    assert first.count(b"\n") == 2
    command.main(words)
    after = path.read_bytes()
    assert after.startswith(first) and after.count(b"\n") == 4
    before = os.stat(path)
    command.main(words)
    said = capsys.readouterr().err
    assert os.stat(path).st_mtime_ns == before.st_mtime_ns and "4 runs, seeds 101 to 102; 4 are in" in said


@pytest.mark.heavy
def test_a_stop_leaves_whole_lines_and_no_workers(tmp_path):
    """SIGTERM while two runs are trained: what has ended is in the file, and nobody trains on."""
    pytest.importorskip("torch")
    path = tmp_path / "r.jsonl"
    words = [sys.executable, "-m", "sinpos.lab", "run", "distance", "--jobs", "2", "--results", str(path)]
    child = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    while not child.stderr.readline().startswith("1/"):
        assert child.poll() is None
    children = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    assert len(children) >= 2
    child.terminate()
    assert child.wait(60) == 128 + signal.SIGTERM
    child.stderr.close()
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    lines = path.read_bytes()
    assert lines.endswith(b"\n") and len(store.read([str(path)])) == lines.count(b"\n") < 10


def test_parts_of_an_array_make_the_whole(monkeypatch):
    pytest.importorskip("torch")
    from sinpos.lab._work import parts_of

    runs = plan.planned([], 5)
    parts = [list(parts_of(runs, (i, 7))) for i in range(1, 8)]
    assert sorted(run.key() for part in parts for run in part) == sorted(run.key() for run in runs)


def test_a_budget_says_what_it_left_out(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    small(monkeypatch, steps=5)
    command.main(["run", "distance", "--jobs", "1", "--seeds", "2", "--budget", "0.001", "--results", str(tmp_path / "r.jsonl")])
    assert "left out by --budget 0.001: 4 of distance" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ many machines


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers; yields the address."""
    if importlib.util.find_spec("distributed") is None:
        pytest.skip("no distributed here")
    file = tmp_path / "scheduler.json"
    environment = {**os.environ, "DASK_DISTRIBUTED__DASHBOARD__LINK": ""}
    children = []

    def start(*words):
        log = open(tmp_path / f"log{len(children)}", "wb")
        children.append(subprocess.Popen([sys.executable, "-m", *words], env=environment, cwd=tmp_path, stdout=log, stderr=log))

    start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    for _ in range(2):
        start("distributed.cli.dask_worker", "--scheduler-file", str(file), "--no-nanny", "--nthreads", "1", "--no-dashboard")
    try:
        for _ in range(600):
            if file.exists() and file.read_text().endswith("}"):
                break
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"]
    finally:
        for child in children:
            child.kill()
            child.wait()


@pytest.mark.skipif(SMALL, reason="Dask takes ten seconds to miss a worker")
def test_a_killed_worker(cluster, tmp_path, monkeypatch):
    """Its run is done again: none is lost, and none is there twice."""
    pytest.importorskip("torch")
    from distributed import Client

    from sinpos.lab import _work

    small(monkeypatch, steps=60)
    runs = plan.planned(["distance"], 3)
    file = store.Store(str(tmp_path / "r.jsonl"))
    killed = []
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        pids = client.run(os.getpid)

        def say(_):
            busy = [address for address, keys in client.processing().items() if keys]
            if not killed and busy:
                killed.append(busy[0])
                os.kill(pids[busy[0]], signal.SIGKILL)

        left = _work.do_all(runs, file, _work.Options(scheduler=cluster), say)
    assert left == [] and killed
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    assert sorted(store.result_of(line).run.key() for line in lines) == sorted(run.key() for run in runs)
