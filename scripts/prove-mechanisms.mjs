/**
 * Shows that the mechanisms on which the promises rest are needed: takes each out of a copy of the project, runs the tests
 * of that mechanism's layer, and prints which fail. `node scripts/prove-mechanisms.mjs [name ...]`; exits with 1 when one is
 * taken out and no test notices.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = 'libs/delay-queue/src';

/** Each with what is replaced in which file, and the tests that are run. */
const MECHANISMS = {
  'fence check': {
    cuts: [
      [`${SRC}/redis/scripts/turn-settle.ts`, "    if sub(entry, 1, #fence) ~= fence then return 's' end\n", ''],
      [
        `${SRC}/memory/settles.ts`,
        "return run !== undefined && run.fence === fence ? run : 'stale';",
        "return run ?? 'stale';",
      ],
    ],
    tests: ['test/conformance', 'test/integration/turn', 'runtime/lane', 'test/faults/stalls', 'test/faults/network'],
  },
  'settle needs lease': {
    cuts: [
      [
        `${SRC}/redis/scripts/turn-settle.ts`,
        "if deadlines[i] then held[ARGV[FIRST_ID + i - 1]] = entries[i] or '' end",
        'held[ARGV[FIRST_ID + i - 1]] = entries[i]',
      ],
      [`${SRC}/memory/settles.ts`, "  if (!partition.leased.has(id)) return 'gone';\n", ''],
    ],
    tests: ['test/conformance', 'test/integration/turn', 'runtime/lane', 'test/faults/stalls', 'test/faults/network'],
  },
  'lease renewal': {
    cuts: [[`${SRC}/runtime/lease-keeper.ts`, 'if (!this.renewalDue) return [];', 'return [];']],
    tests: ['src/runtime', 'test/faults/stalls', 'test/faults/crashes'],
  },
  sweep: {
    cuts: [[`${SRC}/runtime/arm-watch.ts`, '    this.parts.host.claim({ force: true });\n', '']],
    tests: ['src/runtime', 'test/faults/stalls', 'test/faults/crashes', 'test/faults/server-outages'],
  },
  suspects: {
    cuts: [
      [`${SRC}/redis/scripts/turn-claim.ts`, 'return hasSuspect and run.lost >= 2 end', 'return false end'],
      [`${SRC}/memory/claim.ts`, 'return this.hasSuspect && isSuspect(run);', 'return false;'],
    ],
    tests: ['test/conformance', 'test/integration/turn', 'src/memory', 'test/faults/crashes'],
  },
  'shutdown release': {
    cuts: [[`${SRC}/runtime/drain.ts`, '  for (const lane of lanes) lane.releaseRuns();\n', '']],
    tests: ['src/runtime', 'test/nest/shutdown', 'test/faults/shutdown'],
  },
  'mark in progress': {
    cuts: [
      [
        `${SRC}/redis/scripts/mark-begin.ts`,
        "if mark.owner ~= owner then return { 'p', int(mark.overAt - nowMs) } end",
        "return { 'd', '' }",
      ],
    ],
    tests: ['test/conformance/redis', 'test/nest/idempotency', 'test/faults/idempotency'],
  },
  'mark written by the completion': {
    cuts: [[`${SRC}/redis/scripts/turn-settle.ts`, 'for i = 1, #kept do writeDone(unpack(kept[i])) end', '']],
    tests: ['test/conformance/redis', 'test/integration/marks', 'test/nest/idempotency'],
  },
  'mark renewal': {
    cuts: [[`${SRC}/runtime/idempotent-handler.ts`, '    this.keeper.hold(mark);\n', '']],
    tests: ['src/runtime/idempotent-handler'],
  },
};

function copyProject() {
  const copy = mkdtempSync(join(tmpdir(), 'delay-queue-mechanism-'));
  const skipped = new Set(['node_modules', '.git', 'dist']);
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function cut(copy, [file, text, replacement]) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(text).length !== 2) throw new Error(`${file} does not have this exactly once: ${text}`);
  writeFileSync(
    path,
    source.replace(text, () => replacement),
  );
}

function failuresOf(copy, tests) {
  const report = join(copy, 'report.json');
  const args = ['scripts/jest.mjs', '--json', `--outputFile=${report}`, '--silent', ...tests];
  spawnSync(process.execPath, args, { cwd: copy, stdio: 'ignore' });
  const { testResults, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${basename(name)}: ${fullName}`),
  );
  return { failed, numTotalTests };
}

function prove(name) {
  const copy = copyProject();
  try {
    for (const change of MECHANISMS[name].cuts) cut(copy, change);
    const { failed, numTotalTests } = failuresOf(copy, MECHANISMS[name].tests);
    console.log(`\n${name}: ${failed.length} of ${numTotalTests} tests fail without it`);
    for (const test of failed) console.log(`  ${test}`);
    return failed.length > 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in MECHANISMS));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; known: ${Object.keys(MECHANISMS).join(', ')}`);
const proven = (asked.length > 0 ? asked : Object.keys(MECHANISMS)).map(prove);
process.exitCode = proven.every(Boolean) ? 0 : 1;
