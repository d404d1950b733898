import { ApiProperty } from '@nestjs/swagger';
import type { Order, OrderStatus } from './order.entity.js';

/** An order as the API shows it. */
export class OrderView {
  @ApiProperty({ format: 'uuid' })
  readonly id: string;

  @ApiProperty({ example: 'TEA-GREEN' })
  readonly sku: string;

  @ApiProperty({ type: 'integer', example: 2 })
  readonly quantity: number;

  @ApiProperty({ enum: ['pending', 'paid', 'cancelled'] })
  readonly status: OrderStatus;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly placedAt: Date;

  @ApiProperty({ type: String, format: 'date-time', description: 'The order is not cancelled before' })
  readonly payBefore: Date;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly paidAt: Date | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly cancelledAt: Date | null;

  constructor(order: Order) {
    this.id = order.id;
    this.sku = order.sku;
    this.quantity = order.quantity;
    this.status = order.status;
    this.placedAt = order.placedAt;
    this.payBefore = order.payBefore;
    this.paidAt = order.paidAt;
    this.cancelledAt = order.cancelledAt;
  }
}
