import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { StockModule } from '../stock/stock.module.js';
import { OrderRecords } from './order-records.js';
import { OrderTimeoutHandler } from './order-timeout.handler.js';
import { Order } from './order.entity.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Order]), StockModule],
  controllers: [OrdersController],
  providers: [OrdersService, OrderRecords, OrderTimeoutHandler],
})
export class OrdersModule {}
