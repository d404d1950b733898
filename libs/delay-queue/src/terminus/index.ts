export { DelayQueueHealthIndicator } from './delay-queue.health-indicator.js';
