/** See `sql-servers.mjs`. */
export function findPostgres(
  env?: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly folder: string; readonly version: string } | undefined>;
