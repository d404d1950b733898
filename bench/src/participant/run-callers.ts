/**
 * Calls a function once for each item, with so many callers at a time that each wait for their own call only.
 *
 * @returns the milliseconds that it took.
 */
export async function runCallers<Item>(
  items: readonly Item[],
  callers: number,
  call: (item: Item) => Promise<unknown>,
): Promise<number> {
  // All callers take from one iterator, so that none is left behind with a share of its own.
  const remaining = items.values();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (const item of remaining) await call(item);
    }),
  );
  return performance.now() - start;
}
