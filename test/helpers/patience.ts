import { vi } from 'vitest';

/** How long a condition may take to come true on a busy machine; vitest's own limit is a second. */
const PATIENCE_MS = 20_000;

const { waitFor } = vi;

vi.waitFor = (condition, options) =>
  waitFor(condition, {
    timeout: PATIENCE_MS,
    ...(typeof options === 'number' ? { timeout: options } : options),
  });
