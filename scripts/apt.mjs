/** Installs packages of Debian and Ubuntu for the tests, without starting their services. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

// invoke-rc.d asks this file before it starts a service, and 101 means "not allowed": the package is installed, its service stays down.
const policyFile = '/usr/sbin/policy-rc.d';

/** This is a Debian or one of its descendants. */
export function isDebianLike() {
  if (process.platform !== 'linux' || !existsSync('/etc/os-release')) return false;
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/** This process may install packages. */
export function canInstall() {
  return isDebianLike() && process.getuid?.() === 0;
}

/** Installs a package, with nothing but what it cannot do without. */
export function installPackage(name) {
  withServicesKeptDown(() => {
    apt(['update', '-qq']);
    apt(['install', '-y', '-qq', '--no-install-recommends', name]);
  });
}

function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Its output goes to stderr, so that the line about the choice is all that stdout holds.
  execFileSync('apt-get', args, { env, stdio: ['ignore', 2, 2] });
}

function withServicesKeptDown(action) {
  const earlier = existsSync(policyFile)
    ? { text: readFileSync(policyFile), mode: statSync(policyFile).mode }
    : undefined;
  writeFileSync(policyFile, '#!/bin/sh\nexit 101\n');
  chmodSync(policyFile, 0o755);
  try {
    action();
  } finally {
    if (earlier) {
      writeFileSync(policyFile, earlier.text);
      chmodSync(policyFile, earlier.mode);
    } else {
      rmSync(policyFile);
    }
  }
}
