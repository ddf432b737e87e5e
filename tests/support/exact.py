"""Sine, cosine, powers and logarithms to 50 digits, of the standard library alone."""
from decimal import Decimal, getcontext

getcontext().prec = 60


def number(x):
    """An exact Decimal of an int, a float, a Decimal, or a decimal text."""
    return x if isinstance(x, Decimal) else Decimal(x)


def arctangent_of_inverse(n):
    term = total = Decimal(1) / n
    k = 1
    while abs(term) > Decimal(10) ** -65:
        term = -term / (n * n)
        k += 2
        total += term / k
    return total


PI = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))


def sin(x):
    x = number(x) % (2 * PI)
    term = total = x
    k = 1
    while abs(term) > Decimal(10) ** -65:
        term = -term * x * x / ((k + 1) * (k + 2))
        k += 2
        total += term
    return total


def cos(x):
    return sin(number(x) + PI / 2)


def log(x):
    return number(x).ln()


def exp(x):
    return number(x).exp()


def power(base, exponent):
    """base^exponent for base > 0."""
    return (number(exponent) * number(base).ln()).exp()
