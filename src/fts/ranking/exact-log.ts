/**
 * The natural logarithm, correctly rounded, because our rank must be equal to FTS5's to the last bit. The last
 * bit of V8's Math.log is wrong in about 7 % of cases; that of the C library which SQLite uses, in one of some
 * thousands. A call takes about a microsecond, and there is one call for each phrase of a query.
 */

/** A number as an unevaluated sum of two doubles, about 106 bits. */
type Double2 = readonly [high: number, low: number];

const SPLITTER = 2 ** 27 + 1;
const LN2: Double2 = [Math.LN2, 2.3190468138462996e-17];

function split(a: number): Double2 {
  const c = SPLITTER * a;
  const high = c - (c - a);
  return [high, a - high];
}

function exactProduct(a: number, b: number): Double2 {
  const product = a * b;
  const [ah, al] = split(a);
  const [bh, bl] = split(b);
  return [product, ah * bh - product + ah * bl + al * bh + al * bl];
}

function quickSum(a: number, b: number): Double2 {
  const sum = a + b;
  return [sum, b - (sum - a)];
}

function add([ah, al]: Double2, [bh, bl]: Double2): Double2 {
  const sum = ah + bh;
  const part = sum - ah;
  return quickSum(sum, ah - (sum - part) + (bh - part) + al + bl);
}

function multiply([ah, al]: Double2, [bh, bl]: Double2): Double2 {
  const [high, low] = exactProduct(ah, bh);
  return quickSum(high, low + ah * bl + al * bh);
}

function divide(a: Double2, b: Double2): Double2 {
  const first = a[0] / b[0];
  const rest = add(a, multiply(b, [-first, 0]));
  const second = rest[0] / b[0];
  const rest2 = add(rest, multiply(b, [-second, 0]));
  return add(quickSum(first, second), [rest2[0] / b[0], 0]);
}

/** 1, 1/3, 1/5, … of the series for artanh, which ends where its terms fall below 2^-110. */
const SERIES = Array.from({ length: 25 }, (_, i) => divide([1, 0], [2 * i + 1, 0]));

/** ln(m / c). The closer the two, the fewer terms are needed. */
function logOfRatio(m: number, c: number): Double2 {
  // ln (m / c) = 2 artanh((m - c) / (m + c)), and both sums are exact here as pairs.
  const ratio = divide(add([m, 0], [-c, 0]), add([m, 0], [c, 0]));
  const square = multiply(ratio, ratio);
  // Terms after the first 57 bits need no more than a double, and those after 110 bits have no effect.
  const bits = -Math.log2(square[0]);
  const precise = Math.min(SERIES.length, Math.ceil(57 / bits));
  let tail = 0;
  for (let i = Math.min(SERIES.length, Math.ceil(110 / bits)) - 1; i >= precise; i--)
    tail = tail * square[0] + (SERIES[i]?.[0] ?? 0);
  let sum: Double2 = [tail, 0];
  for (let i = precise - 1; i >= 0; i--) sum = add(multiply(sum, square), SERIES[i] ?? sum);
  const [high, low] = multiply(sum, ratio);
  return [2 * high, 2 * low];
}

const STEPS = 32;
/** ln(i / STEPS), computed when it is first needed. */
const LOGS: Double2[] = [];

/** ln(x) for finite x > 0. */
export function exactLog(x: number): number {
  let exponent = Math.round(Math.log2(x));
  let mantissa = x / 2 ** exponent;
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent++;
  }
  const step = Math.round(mantissa * STEPS);
  LOGS[step] ??= logOfRatio(step / STEPS, 1);
  const near = add(LOGS[step], logOfRatio(mantissa, step / STEPS));
  const [high, low] = add(multiply([exponent, 0], LN2), near);
  return high + low;
}
