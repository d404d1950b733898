/** The value below which a share of all values lies; the mean of the two nearest where it falls between them. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) throw new RangeError('a quantile needs at least one value');
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** The middle value. */
export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** Smallest and largest value. */
export interface Spread {
  readonly min: number;
  readonly max: number;
}

/** How far the values lie apart. */
export function spread(values: ArrayLike<number>): Spread {
  return { min: quantile(values, 0), max: quantile(values, 1) };
}
