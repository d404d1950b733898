const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Turns a text such as `30m`, `1.5h` or `500ms` into whole milliseconds.
 *
 * @param name the setting's name, for the error.
 * @throws Error when it is not a positive number followed by ms, s, m, h or d.
 */
export function parseTimeSpanMs(text: string, name: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(text.trim());
  const spanMs = Math.round(Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN));
  if (spanMs >= 1) return spanMs;
  throw new Error(`${name}: must be a positive time such as '30m' or '45s', got '${text}'`);
}
