/**
 * Names under which Nest's decorators leave what they say about a class or a method.
 *
 * Nest itself and its packages (GraphQL, microservices) share them, but no public entry point exports them; the tests of the
 * enhancers fail with a version that uses others.
 */
export const NEST_METADATA = {
  guards: '__guards__',
  interceptors: '__interceptors__',
  pipes: '__pipes__',
  filters: '__exceptionFilters__',
  /** On a class, by method: what its decorated parameters are made of. */
  parameters: '__routeArguments__',
  /** On a class: its methods are called from outside, so enhancers of the whole application belong to it. */
  entryProvider: '__entryProvider__',
  /** On a prototype, by method: the types of its parameters, as the compiler wrote them. */
  parameterTypes: 'design:paramtypes',
} as const;

/** In the key of a parameter that a decorator of the application's own (`createParamDecorator`) is on. */
export const CUSTOM_PARAMETER = '__customRouteArgs__';
