import { cancelC64 } from './cancel-c64.js';
import { drain1x1 } from './drain-1x1.js';
import { drain1x50 } from './drain-1x50.js';
import { drain2x50 } from './drain-2x50.js';
import { idle1 } from './idle-1.js';
import { idle20 } from './idle-20.js';
import { killRerun } from './kill-rerun.js';
import { lateness100 } from './lateness-100.js';
import { lateness1000 } from './lateness-1000.js';
import { loneClaims20 } from './lone-claims-20.js';
import { memory100k } from './memory-100k.js';
import { memory1m } from './memory-1m.js';
import { rescheduleC64 } from './reschedule-c64.js';
import type { Row } from './row.js';
import { scheduleBulk } from './schedule-bulk.js';
import { scheduleC64 } from './schedule-c64.js';

/** All rows, in the order of the report. */
export const ALL_ROWS: readonly Row[] = [
  scheduleC64,
  scheduleBulk,
  drain1x50,
  drain2x50,
  drain1x1,
  lateness100,
  lateness1000,
  memory100k,
  memory1m,
  cancelC64,
  rescheduleC64,
  idle1,
  idle20,
  loneClaims20,
  killRerun,
];
