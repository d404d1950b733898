/**
 * Prints the table of the fault tests when all tests have run: one line per scenario, collected from the files in which the
 * test processes put them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COLUMNS = [
  ['scenario', (row) => row.scenario],
  ['injected', (row) => row.injected.join(', ') || '–'],
  ['tasks', (row) => row.tasks],
  ['refused calls', (row) => row.refused],
  ['deliveries', (row) => row.deliveries],
  ['duplicate deliveries', (row) => row.duplicates + causesOf(row)],
  ['duplicate effects', (row) => row.duplicateEffects],
  ['early', (row) => row.early],
  ['lost', (row) => row.lost + (row.excused > 0 ? ` (and ${row.excused} with the server)` : '')],
  ['s', (row) => row.seconds.toFixed(1)],
];

function causesOf({ causes }) {
  const parts = Object.entries(causes).map(([cause, count]) => `${count} ${cause}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

export function formatTable(rows) {
  const lines = rows.map((row) => `| ${COLUMNS.map(([, read]) => read(row)).join(' | ')} |`);
  const head = `| ${COLUMNS.map(([name]) => name).join(' | ')} |`;
  return [head, `| ${COLUMNS.map(() => '---').join(' | ')} |`, ...lines].join('\n');
}

export default class TableReporter {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'delay-queue-fault-table-'));
    // The processes that jest starts for the tests inherit it.
    process.env.FAULT_TABLE_FOLDER = this.folder;
  }

  onRunComplete() {
    const rows = readdirSync(this.folder)
      .flatMap((name) => readFileSync(join(this.folder, name), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line))
      .toSorted((a, b) => a.scenario.localeCompare(b.scenario, 'en', { numeric: true }));
    rmSync(this.folder, { recursive: true, force: true });
    if (rows.length > 0) process.stderr.write(`\nWhat was injected, and what came of it:\n\n${formatTable(rows)}\n\n`);
  }
}
