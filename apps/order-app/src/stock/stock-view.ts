import { ApiProperty } from '@nestjs/swagger';
import type { StockItem } from './stock-item.entity.js';

/** An article as the API shows it. */
export class StockView {
  @ApiProperty({ example: 'TEA-GREEN' })
  readonly sku: string;

  @ApiProperty({ type: 'integer', description: 'Pieces that can be ordered now' })
  readonly available: number;

  constructor(item: StockItem) {
    this.sku = item.sku;
    this.available = item.available;
  }
}
