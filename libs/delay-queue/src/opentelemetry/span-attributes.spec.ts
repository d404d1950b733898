import { describe, expect, it } from '@jest/globals';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { OPERATIONS } from './operation-attributes.js';
import { SpanAttribute } from './span-attributes.js';

const known = conventions as unknown as Readonly<Record<string, string>>;

describe('the names of span attributes', () => {
  const copied = Object.entries(SpanAttribute).filter(([, name]) => !name.startsWith('delay_queue.'));

  it.each(copied)('%s is what the semantic conventions say', (constant, name) => {
    expect(known[`ATTR_${constant}`]).toBe(name);
  });

  it.each(Object.values(OPERATIONS))('the operation $name has a type of the semantic conventions', ({ type }) => {
    expect(known[`MESSAGING_OPERATION_TYPE_VALUE_${type.toUpperCase()}`]).toBe(type);
  });
});
