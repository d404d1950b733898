import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../core/errors.js';
import { HandlerMetadataAccessor } from './handler-metadata-accessor.js';
import { Idempotent } from './idempotent.decorator.js';
import { OnDelayedTask } from './on-delayed-task.decorator.js';

const accessor = new HandlerMetadataAccessor();

class Base {
  @OnDelayedTask('a')
  @Idempotent({ ttl: '1h' })
  above(): void {}

  @Idempotent()
  @OnDelayedTask('b')
  below(): void {}

  @OnDelayedTask('c')
  plain(): void {}
}

const read = (target: { readonly prototype: object }, name: string) => accessor.read(target.prototype, name);

describe('@Idempotent', () => {
  it('notes its options on a method, above or below @OnDelayedTask', () => {
    expect(read(Base, 'above')).toMatchObject({ idempotent: { ttl: '1h' }, declarations: [{ type: 'a' }] });
    expect(read(Base, 'below')).toMatchObject({ idempotent: {}, declarations: [{ type: 'b' }] });
    expect(read(Base, 'plain')?.idempotent).toBeUndefined();
  });

  it('is inherited with the method, and not by an override, which is told', () => {
    class Inheriting extends Base {}
    class Overriding extends Base {
      @OnDelayedTask('z')
      override above(): void {}
    }
    expect(read(Inheriting, 'above')).toMatchObject({ idempotent: { ttl: '1h' }, overridesIdempotent: false });
    expect(read(Overriding, 'above')).toMatchObject({ idempotent: undefined, overridesIdempotent: true });
  });

  it('survives a decorator above it that wraps the method, and a mixin that copies it', () => {
    const wrapping = (_target: object, _key: string, descriptor: PropertyDescriptor): void => {
      descriptor.value = () => undefined;
    };
    class Wrapped {
      @wrapping
      @Idempotent({ ttl: 1 })
      handle(): void {}
    }
    class Mixed {}
    Object.defineProperties(Mixed.prototype, Object.getOwnPropertyDescriptors(Base.prototype));
    expect(read(Wrapped, 'handle')?.idempotent).toEqual({ ttl: 1 });
    expect(read(Mixed, 'above')?.idempotent).toEqual({ ttl: '1h' });
  });

  it.each<[string, () => unknown]>([
    [
      'Misplaced.handle: is static',
      () => {
        class Misplaced {
          @Idempotent()
          static handle(): void {}
        }
        return Misplaced;
      },
    ],
    [
      'Misplaced.handle: is not a method',
      () => {
        class Misplaced {
          @Idempotent()
          get handle(): () => void {
            throw new Error('a getter must not run');
          }
        }
        return Misplaced;
      },
    ],
    [
      'Misplaced.Symbol(handle): must have a text for a name',
      () => {
        const handle = Symbol('handle');
        class Misplaced {
          @Idempotent()
          [handle](): void {}
        }
        return Misplaced;
      },
    ],
    [
      'Misplaced.handle: has @Idempotent twice',
      () => {
        class Misplaced {
          @Idempotent()
          @Idempotent({ ttl: 1 })
          handle(): void {}
        }
        return Misplaced;
      },
    ],
  ])('refuses another place: %s', (message, declare) => {
    expect(declare).toThrow(ConfigurationError);
    expect(declare).toThrow(message);
  });
});
