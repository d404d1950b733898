import { Module } from '@nestjs/common';
import { AppModule } from '../app.module.js';
import { CancellationFaults } from './cancellation-faults.js';

/** The whole shop, and what the demo needs beside it. */
@Module({ imports: [AppModule], providers: [CancellationFaults] })
export class DemoModule {}
