import { Body, Controller, Get, HttpCode, HttpStatus, Param, ParseUUIDPipe, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import { OrderView } from './order-view.js';
import { OrdersService } from './orders.service.js';
import { PlaceOrderBody } from './place-order.body.js';

@ApiTags('orders')
@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  @ApiCreatedResponse({ type: OrderView })
  @ApiBadRequestResponse({ description: 'The body is not acceptable' })
  @ApiNotFoundResponse({ description: 'There is no such article' })
  @ApiConflictResponse({ description: 'Fewer pieces are available' })
  async place(@Body() body: PlaceOrderBody): Promise<OrderView> {
    return new OrderView(await this.orders.place(body));
  }

  @Post(':id/pay')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ type: OrderView, description: 'The order is paid, now or before' })
  @ApiNotFoundResponse({ description: 'There is no such order' })
  @ApiConflictResponse({ description: 'The order has been cancelled' })
  async pay(@Param('id', ParseUUIDPipe) id: string): Promise<OrderView> {
    return new OrderView(await this.orders.pay(id));
  }

  @Get(':id')
  @ApiOkResponse({ type: OrderView })
  @ApiNotFoundResponse({ description: 'There is no such order' })
  async get(@Param('id', ParseUUIDPipe) id: string): Promise<OrderView> {
    return new OrderView(await this.orders.get(id));
  }
}
