/**
 * Returns an object of which only the given members may be used; the use of any other member fails the test.
 */
export function only<T extends object>(given: Partial<T>): T {
  return new Proxy(given as T, {
    get(part, name, receiver) {
      if (!(name in part)) throw new TypeError(`"${String(name)}" was not expected to be used`);
      return Reflect.get(part, name, receiver);
    },
  });
}
