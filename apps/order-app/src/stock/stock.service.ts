import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { StockItem } from './stock-item.entity.js';

/** A number of pieces of one article. */
export interface Pieces {
  readonly sku: string;
  readonly quantity: number;
}

/** Takes pieces out of the stock and puts them back, always inside the caller's transaction. */
@Injectable()
export class StockService {
  constructor(@InjectRepository(StockItem) private readonly items: Repository<StockItem>) {}

  /** @throws NotFoundException when there is no such article. */
  async get(sku: string): Promise<StockItem> {
    const item = await this.items.findOneBy({ sku });
    if (item === null) throw new NotFoundException(`There is no article '${sku}'.`);
    return item;
  }

  /**
   * Takes pieces out of the stock.
   *
   * @throws NotFoundException when there is no such article.
   * @throws ConflictException when fewer pieces are available.
   */
  async reserve(transaction: EntityManager, { sku, quantity }: Pieces): Promise<void> {
    const update = await transaction
      .createQueryBuilder()
      .update(StockItem)
      .set({ available: () => 'available - :quantity' })
      .where('sku = :sku AND available >= :quantity', { sku, quantity })
      .execute();
    if (update.affected === 1) return;
    if (!(await transaction.existsBy(StockItem, { sku }))) throw new NotFoundException(`There is no article '${sku}'.`);
    throw new ConflictException(`Fewer than ${quantity} pieces of '${sku}' are available.`);
  }

  /** Puts pieces back that {@link reserve} has taken out. */
  async putBack(transaction: EntityManager, { sku, quantity }: Pieces): Promise<void> {
    await transaction.increment(StockItem, { sku }, 'available', quantity);
  }
}
