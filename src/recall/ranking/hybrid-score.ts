/**
 * Scales the features of the candidates to 0..1 among the candidates, and combines the score by words with the
 * score by vectors (hybrid search).
 */
import type { Features } from './features.js';

/** Shares of the lexical score and the vector score in a combined score. */
const WITH_VECTORS = { lexical: 0.5, vector: 0.5 };
const WITHOUT_VECTORS = { lexical: 0.8, vector: 0 };
type Shares = typeof WITH_VECTORS;

/** Minimum and maximum of a feature among the candidates. */
type Span = { least: number; most: number };
type Spans = Readonly<Record<'lexical' | 'vector' | 'session' | 'sessionVector' | 'part', Span>>;

function spansOf(features: readonly Features[]): Spans {
  const span = (name: keyof Spans, least: number): Span => {
    let most = least;
    let lowest = Number.POSITIVE_INFINITY;
    for (const { [name]: value } of features) {
      most = Math.max(most, value);
      lowest = Math.min(lowest, value);
    }
    return { least: least === 0 ? 0 : lowest, most };
  };
  return {
    lexical: span('lexical', 0),
    vector: span('vector', -1),
    session: span('session', 0),
    sessionVector: span('sessionVector', -1),
    part: span('part', 0),
  };
}

/** `value` as 0..1 between the minimum and the maximum. */
const scaled = (value: number, { least, most }: Span) =>
  most > least ? Math.max(0, (value - least) / (most - least)) : 0;

/** The features of a candidate, scaled, and the combined scores of the message and of its neighbours. */
export interface ScaledFeatures {
  readonly raw: Features;
  readonly lexical: number;
  readonly vector: number;
  readonly session: number;
  readonly sessionVector: number;
  readonly part: number;
  /** How well the message fits the question. */
  readonly fit: number;
  /** The same for an instruction, which may have other words than the question. */
  readonly instructionFit: number;
  /** `instructionFit` is that of `instructionMatches`. */
  readonly isMatched: boolean;
  readonly fitBefore: number;
  readonly fitAfter: number;
}

/** `matches`: by candidate, what `instructionMatches` returned. */
export function scaleFeatures(
  features: readonly Features[],
  hasVectors: boolean,
  matches: readonly (number | undefined)[],
): ScaledFeatures[] {
  const spans = spansOf(features);
  const shares = hasVectors ? WITH_VECTORS : WITHOUT_VECTORS;
  return features.map((own, at) => scaledFeatures(own, spans, shares, matches[at]));
}

function scaledFeatures(
  raw: Features,
  spans: Spans,
  shares: Shares,
  match: number | undefined,
): ScaledFeatures {
  const lexical = scaled(raw.lexical, spans.lexical);
  const vector = scaled(raw.vector, spans.vector);
  const combined = (words: number, cosine: number) =>
    shares.lexical * words + shares.vector * cosine;
  const neighbour = (words: number, cosine: number) =>
    combined(scaled(words, spans.lexical), scaled(cosine, spans.vector));
  const fit = combined(lexical, vector);
  return {
    raw,
    lexical,
    vector,
    session: scaled(raw.session, spans.session),
    sessionVector: scaled(raw.sessionVector, spans.sessionVector),
    part: scaled(raw.part, spans.part),
    fit,
    instructionFit: match ?? fit,
    isMatched: match !== undefined,
    fitBefore: neighbour(raw.before, raw.beforeVector),
    fitAfter: neighbour(raw.after, raw.afterVector),
  };
}
