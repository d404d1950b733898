/**
 * Schedules under a schema with the packed library, where the packages that only a class needs are not installed: everything
 * else works, and a class says what to install. `check-package.mjs` runs it beside each version of NestJS.
 */
require('reflect-metadata');
const assert = require('node:assert/strict');
const { Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { DelayQueueModule, DelayQueueProducer } = require('nestjs-delay-queue');

function boot(types) {
  class App {}
  Module({ imports: [DelayQueueModule.forRoot({ embedded: true }), DelayQueueModule.forFeature({ types })] })(App);
  return NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
}

async function main() {
  const validate = (value) => (value === 'fit' ? { value } : { issues: [{ message: 'is unfit' }] });
  const app = await boot({ t: { schema: { '~standard': { version: 1, vendor: 'check', validate } } } });
  const producer = app.get(DelayQueueProducer);
  await producer.schedule('t', 'fit', { delay: '1h' });
  await assert.rejects(producer.schedule('t', 'unfit', { delay: '1h' }), { code: 'invalid_payload' });
  await app.close();

  const packages = /npm install class-validator class-transformer/;
  await assert.rejects(boot({ t: { schema: class Payload {} } }), { code: 'configuration', message: packages });
}

void main();
