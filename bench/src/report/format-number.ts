const WHOLE_FROM = 1_000;

/** Writes a number with three figures at least, and thousands grouped. */
export function formatNumber(value: number): string {
  if (Math.abs(value) >= WHOLE_FROM) return Math.round(value).toLocaleString('en-US');
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return value.toFixed(2);
}
