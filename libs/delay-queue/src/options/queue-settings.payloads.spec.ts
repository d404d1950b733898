import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import { z } from 'zod';
import type { TaskTypeOptions } from './queue-options.js';
import { QueueSettings } from './queue-settings.js';

const TYPE = 'order_timeout';

const settingsOf = (options: TaskTypeOptions) => new QueueSettings({ types: { [TYPE]: options } }).forType(TYPE);

class Payload {
  @IsString()
  to!: string;
}

describe('QueueSettings', () => {
  describe('schema and version', () => {
    it('are kept, with the steps', () => {
      const upcast = { 1: (old: unknown) => old, 2: (old: unknown) => old };
      expect(settingsOf({ version: 3, upcast, onUnknownVersion: 'wait' })).toMatchObject({
        version: 3,
        upcast,
        onUnknownVersion: 'wait',
      });
    });

    it('make a check of a Standard Schema', () => {
      const { payloadCheck } = settingsOf({ schema: z.string() });
      expect(payloadCheck?.('x')).toEqual({ kind: 'valid', payload: 'x' });
    });

    it('make a check of a class, once what it needs is loaded', async () => {
      const settings = new QueueSettings({ types: { [TYPE]: { schema: Payload } } });
      expect(() => settings.forType(TYPE)).toThrow('The schema Payload has not been loaded.');
      await settings.loadSchemas();
      expect(await settings.forType(TYPE).payloadCheck?.({ to: 'a' })).toMatchObject({ kind: 'valid' });
    });

    it('refuse a class without rules where it stands', async () => {
      class Bare {}
      const settings = new QueueSettings();
      settings.addTypes(
        { [TYPE]: { schema: Bare } },
        { path: 'forFeature(Orders).types', name: 'forFeature of Orders' },
      );
      await expect(settings.loadSchemas()).rejects.toThrow(
        `forFeature(Orders).types.${TYPE}.schema: is the class Bare`,
      );
    });

    it.each<[object, string, string]>([
      [{ schema: {} }, 'schema', 'must be a Standard Schema'],
      [{ schema: () => true }, 'schema', 'must be a Standard Schema'],
      [{ version: 0 }, 'version', '>=1'],
      [{ version: 1.5 }, 'version', 'int'],
      [{ version: '2' }, 'version', 'number'],
      [{ upcast: { 1: 'x' }, version: 2 }, 'upcast.1', 'must be a function'],
      [{ upcast: { 1: String } }, 'upcast.1', 'is no step to the current version 1'],
      [{ upcast: { 2: String }, version: 2 }, 'upcast.2', 'is no step to the current version 2'],
      [{ upcast: { 0: String }, version: 2 }, 'upcast.0', 'is no step'],
      [{ upcast: { '01': String }, version: 2 }, 'upcast.01', 'is no step'],
      [{ upcast: { v1: String }, version: 2 }, 'upcast.v1', 'is no step'],
      [{ onUnknownVersion: 'snooze' }, 'onUnknownVersion', ''],
    ])('are refused when they make no sense: %j', (options, option, problem) => {
      expect(() => settingsOf(options as TaskTypeOptions)).toThrow(
        expect.objectContaining({
          code: 'configuration',
          field: `types.${TYPE}.${option}`,
          message: expect.stringContaining(problem),
        }),
      );
    });
  });

  describe('types of features', () => {
    const place = { path: 'forFeature(Orders).types', name: 'forFeature of Orders' };

    it('stand beside those of the queue', () => {
      const settings = new QueueSettings({ types: { a: { partitions: 4 } } });
      expect(settings.forType('a').version).toBe(1);
      settings.addTypes({ a: { version: 2, partitions: 4 }, b: { dedupeFor: '1s' } }, place);
      expect(settings.forType('a')).toMatchObject({ partitions: 4, version: 2 });
      expect(settings.forType('b').dedupeForMs).toBe(1_000);
      expect(settings.namedTypes).toEqual(['a', 'b']);
    });

    it.each<[object, string, string]>([
      [{ a: { partitions: 8 } }, 'a.partitions', 'is 4 in forRoot and 8 in forFeature of Orders'],
      [{ a: { partition: 4 } }, 'a.partition', 'is not known here'],
      [{ 'a:b': {} }, 'a:b', 'must be 1 to 100 characters'],
      [
        JSON.parse('{"__proto__":{"partitions":4}}') as object,
        '__proto__',
        'is a name that JavaScript keeps for itself',
      ],
    ])('are refused with the path of the feature: %j', (types, option, problem) => {
      const settings = new QueueSettings({ types: { a: { partitions: 4 } } });
      expect(() => settings.addTypes(types, place)).toThrow(
        expect.objectContaining({
          code: 'configuration',
          field: `forFeature(Orders).types.${option}`,
          message: expect.stringContaining(problem),
        }),
      );
    });
  });
});
