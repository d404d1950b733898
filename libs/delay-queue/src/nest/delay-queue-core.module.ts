import { Module } from '@nestjs/common';

/**
 * Holds all the parts of a queue.
 *
 * It is not global, although `DelayQueueModule` is: Nest would run the hooks of a global module in the wrong order.
 */
@Module({})
export class DelayQueueCoreModule {}
