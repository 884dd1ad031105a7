/** `PROPERTY_SEED` lets every property try the same ways as another run did; one that fails prints the seed it had. */
const seed = process.env['PROPERTY_SEED'];

if (seed !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
}
