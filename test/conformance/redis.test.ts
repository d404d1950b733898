import { describeTaskStore } from './describe-task-store.js';
import { RedisHarness } from './redis-harness.js';

describeTaskStore('RedisTaskStore', () => RedisHarness.open(), { dataCanGetLost: true });
