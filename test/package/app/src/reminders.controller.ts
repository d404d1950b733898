import { Body, Controller, Get, Post } from '@nestjs/common';
import { DelayQueueProducer, type Duration } from 'nestjs-delay-queue';
import { RemindersHandler } from './reminders.handler.js';

@Controller('reminders')
export class RemindersController {
  constructor(
    private readonly delayQueue: DelayQueueProducer,
    private readonly handler: RemindersHandler,
  ) {}

  @Post()
  async create(@Body() { text, delay }: { text: string; delay: Duration }): Promise<{ status: string }> {
    const { status } = await this.delayQueue.schedule('reminder', { text }, { delay });
    return { status };
  }

  @Get()
  list(): readonly string[] {
    return this.handler.reminded;
  }
}
