export { OpenTelemetryTracer, type OpenTelemetryTracerOptions } from './open-telemetry-tracer.js';
