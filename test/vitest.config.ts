import { join } from 'node:path';
import { type ViteUserConfig, defineConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/patience.ts'],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // vitest itself gives up after a second, which a busy machine may need.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});

export default config;
