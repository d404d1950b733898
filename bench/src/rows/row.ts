import type { Goal } from '../goals.js';
import type { Stage } from '../stage.js';
import type { SubjectName } from '../subjects/subject.js';

/** What one run of one subject gave. */
export interface Measurement {
  readonly value: number;
  /** Further figures by name. */
  readonly extra?: Readonly<Record<string, number>>;
}

/** One line of the comparison. */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  /** Who takes part, in the order of each round. */
  readonly subjects: readonly SubjectName[];
  /** Runs of each subject; 0 leaves the row out. */
  readonly runs: { readonly quick: number; readonly full: number };
  /**
   * Runs beside the other rows of this kind, and its subjects beside each other: it counts, or waits for long, and
   * nothing in it is a matter of speed.
   *
   * @default false
   */
  readonly sideBySide?: boolean;
  /** Its subjects have a PostgreSQL beside Redis. @default false */
  readonly database?: boolean;
  /** How further figures of several runs become one. @default 'median' */
  readonly combine?: Readonly<Record<string, 'median' | 'max' | 'sum'>>;
  /** What the library should reach. */
  readonly goals: readonly Goal[];
  measure(stage: Stage): Promise<Measurement>;
}

/** How often a row is run whose figures vary. */
export const REPEATED = { quick: 2, full: 5 };

/** How often a row is run that a short run has no time to repeat. */
export const REPEATED_IN_FULL = { quick: 1, full: 5 };

/** How often a row is run that takes long and hardly varies. */
export const ONCE = { quick: 1, full: 1 };
