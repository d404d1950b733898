import { Controller, Get, Param } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { StockView } from './stock-view.js';
import { StockService } from './stock.service.js';

@ApiTags('stock')
@Controller('stock')
export class StockController {
  constructor(private readonly stock: StockService) {}

  @Get(':sku')
  @ApiOkResponse({ type: StockView })
  @ApiNotFoundResponse({ description: 'There is no such article' })
  async get(@Param('sku') sku: string): Promise<StockView> {
    return new StockView(await this.stock.get(sku));
  }
}
