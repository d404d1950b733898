import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** Serves the OpenAPI page at `/docs`, and the document itself at `/docs-json`. */
export function serveApiDocs(app: INestApplication): void {
  const description = 'A small shop: orders that are not paid in time are cancelled.';
  const config = new DocumentBuilder().setTitle('Order app').setDescription(description).build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config));
}
