import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../core/errors.js';
import { HandlerMetadataAccessor } from './handler-metadata-accessor.js';
import { OnDelayedTask } from './on-delayed-task.decorator.js';

const accessor = new HandlerMetadataAccessor();

function typesOf(target: { readonly prototype: object }, methodName: string): readonly string[] {
  return accessor.read(target.prototype, methodName)?.declarations.map(({ type }) => type) ?? [];
}

class Base {
  @OnDelayedTask('a', { concurrency: 3 })
  handle(): string {
    return 'base';
  }

  @OnDelayedTask('b')
  @OnDelayedTask('c')
  both(): void {}

  plain(): void {}
}

describe('@OnDelayedTask', () => {
  it('notes type, options and function of a method, several times if asked', () => {
    const read = accessor.read(Base.prototype, 'handle');
    expect(read?.declarations).toEqual([{ type: 'a', queue: 'default', options: { concurrency: 3 } }]);
    expect(read?.method.call(new Base())).toBe('base');
    expect(typesOf(Base, 'both')).toEqual(['c', 'b']);
    expect(typesOf(Base, 'plain')).toEqual([]);
    expect(accessor.read(Base.prototype, 'missing')).toBeUndefined();
  });

  it('keeps what is said of the parameters apart from the options', () => {
    class Decorated {
      @OnDelayedTask('a', { concurrency: 3, parameters: 'decorated' })
      handle(): void {}

      // @ts-expect-error -- no such value; it is refused at boot with the other options
      @OnDelayedTask('b', { parameters: 'some' })
      other(): void {}
    }
    expect(accessor.read(Decorated.prototype, 'handle')?.declarations).toEqual([
      { type: 'a', queue: 'default', options: { concurrency: 3 }, parameters: 'decorated' },
    ]);
    expect(accessor.read(Decorated.prototype, 'other')?.declarations).toEqual([
      { type: 'b', queue: 'default', options: { parameters: 'some' } },
    ]);
  });

  it('C40 is inherited, and replaced by an override with a decorator of its own', () => {
    class Inheriting extends Base {}
    class Overriding extends Base {
      @OnDelayedTask('z')
      override handle(): string {
        return 'derived';
      }
    }
    expect(typesOf(Inheriting, 'handle')).toEqual(['a']);
    expect(typesOf(Overriding, 'handle')).toEqual(['z']);
    expect(accessor.read(Overriding.prototype, 'handle')?.method.call(new Overriding())).toBe('derived');
    expect(typesOf(Base, 'handle')).toEqual(['a']);
  });

  it('C40 is not taken over by an override without a decorator, which is told', () => {
    class Silent extends Base {
      override handle(): string {
        return 'silent';
      }
    }
    const read = accessor.read(Silent.prototype, 'handle');
    expect(read?.declarations).toEqual([]);
    expect(read?.overridden.map(({ type }) => type)).toEqual(['a']);
  });

  it('survives a decorator above it that wraps the method', () => {
    class Wrapped {
      @wrapping
      @OnDelayedTask('a')
      handle(): string {
        return 'inner';
      }
    }
    expect(typesOf(Wrapped, 'handle')).toEqual(['a']);
    expect(accessor.read(Wrapped.prototype, 'handle')?.method.call(new Wrapped())).toBe('wrapped inner');
  });

  it('survives a mixin that copies the method', () => {
    class Mixed {}
    Object.defineProperties(Mixed.prototype, Object.getOwnPropertyDescriptors(Base.prototype));
    expect(typesOf(Mixed, 'handle')).toEqual(['a']);
  });

  it.each<[string, () => unknown]>([
    [
      'Misplaced.handle: is static',
      () => {
        class Misplaced {
          @OnDelayedTask('a')
          static handle(): void {}
        }
        return Misplaced;
      },
    ],
    [
      'Misplaced.handle: is not a method',
      () => {
        class Misplaced {
          // @ts-expect-error -- refused at compile time already
          @OnDelayedTask('a')
          handle = (): void => {};
        }
        return Misplaced;
      },
    ],
    [
      'Misplaced.handle: is not a method',
      () => {
        class Misplaced {
          @OnDelayedTask('a')
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
          @OnDelayedTask('a')
          [handle](): void {}
        }
        return Misplaced;
      },
    ],
  ])('refuses another place: %s', (message, declare) => {
    expect(declare).toThrow(ConfigurationError);
    expect(declare).toThrow(message);
  });
});

function wrapping(_target: object, _key: string, descriptor: TypedPropertyDescriptor<() => string>): void {
  const inner = descriptor.value;
  descriptor.value = function (this: unknown) {
    return `wrapped ${inner?.call(this) ?? ''}`;
  };
}
