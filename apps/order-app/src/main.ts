import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { serveApiDocs } from './api-docs.js';
import { AppModule } from './app.module.js';
import { type ShopConfig, shopConfig } from './config/shop-config.js';

async function serve(): Promise<void> {
  const app = await NestFactory.create(AppModule);
  app.enableShutdownHooks();
  serveApiDocs(app);
  await app.listen(app.get<ShopConfig>(shopConfig.KEY).port);
  new Logger('Shop').log(`The shop is open: ${await app.getUrl()}/docs`);
}

serve().catch((error: unknown) => {
  new Logger('Shop').error('The shop could not be opened.', error);
  process.exit(1);
});
