import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** Makes the database refuse to cancel one order a few times: a trigger, so the shop's own code runs as it always does. */
@Injectable()
export class CancellationFaults implements BeforeApplicationShutdown {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Lets the next `times` attempts to cancel the order fail. */
  async failNext(orderId: string, times: number): Promise<void> {
    await this.remove();
    // A sequence keeps its count when the failing transaction is rolled back; a table would not.
    await this.dataSource.query('CREATE SEQUENCE demo_fault_count');
    await this.dataSource.query(`
      CREATE FUNCTION demo_fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('demo_fault_count') <= TG_ARGV[0]::integer THEN RAISE EXCEPTION 'fault of the demo'; END IF;
        RETURN NEW;
      END $$`);
    await this.dataSource.query(`
      CREATE TRIGGER demo_fault BEFORE UPDATE ON orders FOR EACH ROW
      WHEN (OLD.id::text = '${orderId}' AND NEW.status = 'cancelled')
      EXECUTE FUNCTION demo_fault(${times})`);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.remove();
  }

  private async remove(): Promise<void> {
    await this.dataSource.query('DROP FUNCTION IF EXISTS demo_fault CASCADE');
    await this.dataSource.query('DROP SEQUENCE IF EXISTS demo_fault_count');
  }
}
