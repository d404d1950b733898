import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `pending` until it is paid or cancelled; from those two nothing leads on. */
export type OrderStatus = 'pending' | 'paid' | 'cancelled';

/** An order; while it is pending or paid its pieces are out of the stock. */
@Entity({ name: 'orders' })
export class Order {
  @PrimaryColumn({ type: 'uuid' })
  readonly id!: string;

  @Column({ type: 'varchar', length: 40 })
  readonly sku!: string;

  @Column({ type: 'integer' })
  readonly quantity!: number;

  @Column({ type: 'varchar', length: 10 })
  readonly status!: OrderStatus;

  @Column({ type: 'timestamptz', name: 'placed_at' })
  readonly placedAt!: Date;

  /** What the customer was promised: the order is not cancelled before. */
  @Column({ type: 'timestamptz', name: 'pay_before' })
  readonly payBefore!: Date;

  @Column({ type: 'timestamptz', name: 'paid_at', nullable: true })
  readonly paidAt!: Date | null;

  @Column({ type: 'timestamptz', name: 'cancelled_at', nullable: true })
  readonly cancelledAt!: Date | null;
}
