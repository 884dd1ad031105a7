import type { CommandServices } from '../../src/discord/command.ts';

/** Services of which only the given ones are used; touching another fails the test. */
export function servicesWith(given: Partial<CommandServices>): CommandServices {
  return new Proxy(given as CommandServices, {
    get(services, name, receiver) {
      if (!(name in services))
        throw new TypeError(`The service "${String(name)}" was not expected to be used`);
      return Reflect.get(services, name, receiver);
    },
  });
}
