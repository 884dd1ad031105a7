/**
 * With the same `PROPERTY_SEED`, every property tries the same cases as in another run; a failing one prints
 * its seed.
 */
const seed = process.env['PROPERTY_SEED'];

if (seed !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
}
