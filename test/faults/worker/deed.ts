/** What a handler does with a delivery; the payload of a task says so. */
export type Deed =
  /** Has its effect at once. */
  | { readonly kind: 'ok' }
  /** Takes so long, then has its effect; gives up when its signal is aborted. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Throws, at once or later, whatever its signal says. */
  | { readonly kind: 'throw'; readonly afterMs?: number; readonly errorBytes?: number }
  /** Blocks the event loop for so long, or until the file exists, then goes on. */
  | ({ readonly kind: 'block'; readonly next: Deed } & ({ readonly ms: number } | { readonly untilFile: string }))
  /** Waits until the test lets it go on, or its signal is aborted, and goes on in either case. */
  | { readonly kind: 'held'; readonly next: Deed }
  /** Ends its process. */
  | { readonly kind: 'exit' }
  /** Asks to be called again later. */
  | { readonly kind: 'snooze'; readonly ms: number }
  /** Does not end, and does not listen to its signal. */
  | { readonly kind: 'never' };

/** Payload of every task of these tests: one deed per delivery, the last one for all that follow. */
export interface DeedPayload {
  readonly deeds: readonly Deed[];
}
