import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StockItem } from './stock-item.entity.js';
import { StockSeeder } from './stock-seeder.js';
import { StockController } from './stock.controller.js';
import { StockService } from './stock.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([StockItem])],
  controllers: [StockController],
  providers: [StockService, StockSeeder],
  exports: [StockService],
})
export class StockModule {}
