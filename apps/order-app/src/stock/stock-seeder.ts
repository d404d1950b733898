import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { StockItem } from './stock-item.entity.js';

const FIRST_STOCK: readonly StockItem[] = [
  { sku: 'TEA-GREEN', available: 100 },
  { sku: 'TEA-BLACK', available: 100 },
  { sku: 'TEAPOT', available: 3 },
];

/** Gives a new shop something to sell; articles that are there already stay as they are. */
@Injectable()
export class StockSeeder implements OnModuleInit {
  constructor(@InjectRepository(StockItem) private readonly items: Repository<StockItem>) {}

  async onModuleInit(): Promise<void> {
    await this.items
      .createQueryBuilder()
      .insert()
      .values([...FIRST_STOCK])
      .orIgnore()
      .execute();
  }
}
