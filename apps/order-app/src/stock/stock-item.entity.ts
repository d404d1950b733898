import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many pieces of one article can still be ordered. */
@Entity({ name: 'stock' })
export class StockItem {
  @PrimaryColumn({ type: 'varchar', length: 40 })
  readonly sku!: string;

  /** Pieces that no order holds. */
  @Column({ type: 'integer' })
  readonly available!: number;
}
