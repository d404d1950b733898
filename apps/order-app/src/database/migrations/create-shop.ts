import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of the shop. */
export class CreateShop implements MigrationInterface {
  // TypeORM orders migrations by the time in milliseconds at the end of the name.
  readonly name = 'CreateShop1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE stock (
        sku       varchar(40) PRIMARY KEY,
        available integer NOT NULL CHECK (available >= 0)
      )`);
    await runner.query(`
      CREATE TABLE orders (
        id           uuid PRIMARY KEY,
        sku          varchar(40) NOT NULL REFERENCES stock (sku),
        quantity     integer NOT NULL CHECK (quantity > 0),
        status       varchar(10) NOT NULL CHECK (status IN ('pending', 'paid', 'cancelled')),
        placed_at    timestamptz NOT NULL,
        pay_before   timestamptz NOT NULL,
        paid_at      timestamptz CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
        cancelled_at timestamptz CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL))
      )`);
    await runner.query(`CREATE INDEX orders_pending ON orders (pay_before) WHERE status = 'pending'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE orders');
    await runner.query('DROP TABLE stock');
  }
}
