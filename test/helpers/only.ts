/** A part of which only what is given is used; touching anything else fails the test. */
export function only<T extends object>(given: Partial<T>): T {
  return new Proxy(given as T, {
    get(part, name, receiver) {
      if (!(name in part)) throw new TypeError(`"${String(name)}" was not expected to be used`);
      return Reflect.get(part, name, receiver);
    },
  });
}
