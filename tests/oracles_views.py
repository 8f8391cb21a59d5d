"""The slow, obvious twins of what is computed of many views."""

import numpy as np


def centred(y, observed, weights=None, center=True):
    """Return X of a view with all rows: zero where it has none."""
    x = np.array(y, dtype=float)
    x[~observed] = 0
    if center:
        x[observed] -= x[observed].mean(axis=0)
    return x if weights is None else x * weights[:, None]


def consensus(views, observed, *, regularisation=1e-8, weights=None, center=True, rank=None):
    """Return the whole matrix M of Σ K^(-1/2) W P W K^(-1/2)."""
    size = len(views[0])
    total, seen = np.zeros((size, size)), np.zeros(size)
    for number, (y, has) in enumerate(zip(views, observed, strict=True)):
        given = 1.0 if weights is None else weights[number]
        weight = given * np.ones(size)
        # One number for a whole view weighs its projection, and leaves what r is added to.
        x = centred(y, has, weight if np.ndim(given) else None, center)
        if rank is None:
            inverse = np.linalg.inv(x.T @ x + regularisation * np.eye(x.shape[1]))
            projection = x @ inverse @ x.T
        else:
            u, s, _ = np.linalg.svd(x, full_matrices=False)
            u, s = u[:, :rank], s[:rank]
            projection = u @ np.diag(s**2 / (s**2 + regularisation)) @ u.T
        diagonal = weight * has
        total += diagonal[:, None] * projection * diagonal
        seen += diagonal**2
    roots = np.where(seen > 0, 1 / np.sqrt(np.maximum(seen, 1e-300) / len(views)), 0)
    return roots[:, None] * total * roots


def leading(matrix, rank):
    """Return the largest eigenvalues and their vectors."""
    values, vectors = np.linalg.eigh(matrix)
    return values[::-1][:rank], vectors[:, ::-1][:, :rank]


def angle(a, b):
    """Return the sine of the largest angle between two subspaces."""
    a, b = np.linalg.qr(a)[0], np.linalg.qr(b)[0]
    return float(np.linalg.norm(b - a @ (a.T @ b), 2))


def planted(seed=0, rows=240, views=4, shared=5, width=12, noise=0.4):
    """Views that share some directions, and have others of their own."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((rows, shared))
    return [
        common @ rng.standard_normal((shared, width)) + noise * rng.standard_normal((rows, width))
        for _ in range(views)
    ]
