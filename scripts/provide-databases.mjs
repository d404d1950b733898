/**
 * Makes sure that the tests of the ledger have a real PostgreSQL, and says in one line each which databases they have: the
 * server of `TEST_DATABASE_URL`, an installed one, or, on Debian and Ubuntu as root, one that is installed now. Without a
 * PostgreSQL it stops with the command to type; without a MariaDB its tests are skipped.
 */
import { canInstall, installPackage, isDebianLike } from './apt.mjs';
import { findMariaDb, findPostgres, minVersions } from './sql-servers.mjs';

await providePostgres();
await provideMariaDb();

async function providePostgres() {
  if (process.env.TEST_DATABASE_URL) {
    const url = process.env.TEST_DATABASE_URL.replace(/:[^:@/]*@/, ':***@');
    console.log(`postgresql for the tests: ${url}`);
    return;
  }
  const found = (await findPostgres()) ?? (await install('postgresql', findPostgres));
  if (found === undefined) stop();
  console.log(`postgresql for the tests: ${found.folder} ${found.version}`);
}

async function provideMariaDb() {
  const found = (await findMariaDb()) ?? (await install('mariadb-server', findMariaDb));
  if (found === undefined) {
    console.log(`mariadb for the tests: none ${minVersions.MariaDB} or newer was found, its tests are skipped`);
    return;
  }
  console.log(`mariadb for the tests: ${found.server} ${found.product} ${found.version}`);
}

async function install(name, find) {
  if (!canInstall()) return undefined;
  console.log(`${name}: none found, installing the package`);
  try {
    installPackage(name);
  } catch (error) {
    console.error(`${name}: the installation failed (${error.message})`);
    return undefined;
  }
  return find();
}

function stop() {
  const command = isDebianLike()
    ? 'sudo apt-get update && sudo apt-get install -y postgresql'
    : 'brew install postgresql';
  console.error(`The tests need a real PostgreSQL ${minVersions.PostgreSQL} or newer, and none was found.`);
  console.error(`Install one:         ${command}`);
  console.error('Or name its folder:  POSTGRES_BIN_DIR=/path/to/bin npm test');
  console.error('Or name a server:    TEST_DATABASE_URL=postgres://user@host/database npm test');
  process.exit(1);
}
