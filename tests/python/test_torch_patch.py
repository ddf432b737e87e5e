"""sinpos.torch.patch: tables in models of others."""
import math

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

import sinpos  # noqa: E402
from sinpos.torch import AddPositions, SinusoidalEmbedding, patch  # noqa: E402


def table(n, dim, dtype=torch.float32):
    """The usual lines."""
    position = torch.arange(n, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe = torch.zeros(n, dim)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe.to(dtype)


class BatchFirst(nn.Module):
    def __init__(self, dim, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", table(max_len, dim)[None])

    def forward(self, x):
        return self.dropout(x + self.pe[:, :x.size(1)])


class SequenceFirst(nn.Module):
    """As in a tutorial: a parameter without gradient."""

    def __init__(self, dim, max_len=500):
        super().__init__()
        self.pe = nn.Parameter(table(max_len, dim)[:, None], requires_grad=False)

    def forward(self, x):
        return x + self.pe[:x.size(0)]


class Document(nn.Module):
    """A plain attribute, by index."""

    def __init__(self, max_pos, dim):
        super().__init__()
        self.embeddings = table(max_pos, dim)

    def forward(self, t):
        return self.embeddings[t]


class Scaled(nn.Module):
    """More than a sum."""

    def __init__(self, dim):
        super().__init__()
        self.register_buffer("pe", table(300, dim))

    def forward(self, x):
        return x * math.sqrt(x.size(-1)) + self.pe[:x.size(1)]


class Model(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.batch_first = BatchFirst(dim)
        self.sequence_first = SequenceFirst(dim)
        self.document = Document(200, dim)
        self.scaled = Scaled(dim)
        self.embedding = nn.Embedding.from_pretrained(table(100, dim))
        self.trained = nn.Embedding.from_pretrained(table(100, dim), freeze=False)
        self.linear = nn.Linear(dim, dim)
        self.words = nn.Embedding(100, dim)

    def forward(self, x):
        x = self.batch_first(x) + self.sequence_first(x.transpose(0, 1)).transpose(0, 1)
        return self.linear(self.scaled(x))


OFFERS = {"batch_first.pe": "AddPositions", "sequence_first.pe": "AddPositions", "scaled.pe": "values",
          "document.embeddings": "SinusoidalEmbedding", "embedding.weight": "SinusoidalEmbedding", "trained.weight": ""}


def test_a_report_changes_nothing():
    model = Model()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    report = patch(model)
    assert {f.path: f.offer for f in report} == OFFERS
    assert {f.path: f.kind for f in report}["document.embeddings"] == "attribute"
    assert all(f.identification.encoding == sinpos.Encoding(32) and not f.is_replaced for f in report)
    worst = next(f for f in report if f.path == "batch_first.pe")
    assert worst.identification.wrong > 1000 and worst.identification.max_abs_error > 1e-5
    assert "batch_first.pe: buffer (1, 5000, 32) float32, Encoding(dim=32)" in str(report)
    after = model.state_dict()
    assert all(torch.equal(before[k], after[k]) for k in before) and isinstance(model.batch_first, BatchFirst)


def test_modules_are_replaced():
    torch.manual_seed(0)
    model = Model().eval()
    x, state = torch.randn(2, 50, 32), model.state_dict()
    before = model(x)
    report = patch(model, replace=True)
    assert {f.path for f in report if f.is_replaced} == {p for p, offer in OFFERS.items() if offer}
    assert torch.allclose(model(x), before, atol=1e-4)
    assert isinstance(model.batch_first, AddPositions) and model.batch_first.axis == -2
    assert model.batch_first.dropout.p == 0.1 and not model.batch_first.training
    assert isinstance(model.sequence_first, AddPositions) and model.sequence_first.axis == -3
    assert isinstance(model.document, SinusoidalEmbedding) and isinstance(model.embedding, SinusoidalEmbedding)
    assert torch.equal(model.scaled.pe, SinusoidalEmbedding(32).table(300))
    assert model.batch_first(torch.zeros(1, 6000, 32)).shape == (1, 6000, 32), "longer than the table was"
    assert not any(model.load_state_dict(state)), "checkpoints of the former model load"
    assert {f.path for f in patch(model)} == {"scaled.pe", "trained.weight"}


def test_a_module_in_several_places_is_replaced_in_all():
    part = BatchFirst(32)
    model = nn.ModuleDict({"encoder": nn.Sequential(nn.Linear(32, 32), part), "decoder": nn.Sequential(part), "own": part})
    state = model.state_dict()
    report = patch(model, replace=True)
    assert len(report) == 1 and report[0].is_replaced
    assert isinstance(model["own"], AddPositions)
    assert model["encoder"][1] is model["decoder"][0] is model["own"]
    assert not any(model.load_state_dict(state)) and not patch(model)


def test_values_alone_are_replaced():
    model = Model()
    patch(model, replace="values")
    assert isinstance(model.batch_first, BatchFirst)
    tables = (model.batch_first.pe[0], model.sequence_first.pe[:, 0], model.document.embeddings, model.embedding.weight)
    for got in tables:
        assert torch.equal(got.detach(), SinusoidalEmbedding(32).table(got.shape[0]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_element_types(dtype):
    model = nn.Sequential(nn.Embedding.from_pretrained(table(200, 64, dtype)))
    finding, = patch(model, replace="values")
    assert finding.is_replaced and torch.equal(model[0].weight, SinusoidalEmbedding(64, dtype=dtype).table(200))


def test_nothing_to_find():
    model = nn.Sequential(nn.Linear(64, 64), nn.Embedding(50, 32), nn.LayerNorm(32), nn.Conv2d(3, 8, 3))
    assert not patch(model) and str(patch(model)) == "no sinusoidal tables"
    with pytest.raises(ValueError):
        patch(model, replace="everything")
