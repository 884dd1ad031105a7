/**
 * With the same `PROPERTY_SEED`, every run tries the same cases for each property; a failing property prints its
 * seed.
 */
const seed = process.env['PROPERTY_SEED'];

if (seed !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
}
