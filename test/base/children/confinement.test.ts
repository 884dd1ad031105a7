import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Confinement, type Isolation } from '../../../src/base/children/confinement.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { CONFINEMENT } from '../../helpers/use-media-pool.ts';
import { useTaskPool } from './use-task-pool.ts';

const IS_LINUX = process.platform === 'linux';
const IS_ROOT = process.geteuid?.() === 0;
/** The isolation levels that are possible on this machine. The table in docs/confinement.md must be true for each. */
const here = await CONFINEMENT.isolation();
const LEVELS: readonly Isolation[] = ['namespaces', 'privileges', 'none'];
const possible = LEVELS.slice(LEVELS.indexOf(here));

function useLevel(strongest: Isolation): ReturnType<typeof useTaskPool>['run'] {
  return useTaskPool({ confinement: new Confinement({ log: silentLogger, strongest }) }).run;
}

describe.each(possible)('a child isolated by %s', (level) => {
  const hidesParent = level === 'namespaces' || (level === 'privileges' && IS_ROOT);

  test(`${hidesParent ? 'cannot' : 'can'} read the memory and environment of its parent`, async () => {
    const run = useLevel(level);
    for (const name of ['environ', 'mem', 'maps']) {
      const found = await run({ do: 'read', path: `/proc/${process.pid}/${name}` });
      if (hidesParent) expect(found).toMatch(/^(ENOENT|EACCES|EPERM)$/);
      else if (IS_LINUX && name === 'environ') expect(found).toBe('read');
    }
  });

  test(`${level === 'namespaces' ? 'has no' : 'has a'} network, and ${level === 'namespaces' ? 'no' : 'a'} parent to signal`, async () => {
    const run = useLevel(level);
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const isAlone = level === 'namespaces';
    expect(await run({ do: 'connect', port })).toBe(isAlone ? 'ENETUNREACH' : 'connected');
    expect(await run({ do: 'signal', pid: process.pid })).toBe(isAlone ? 'ESRCH' : 'sent');
  });

  test('finds no secret in its environment, and creates files that only its user can read', async () => {
    vi.stubEnv('MEDIA_API_KEY', 'canary');
    onTestFinished(() => void vi.unstubAllEnvs());
    const run = useLevel(level);
    const known = await run({ do: 'environment' });
    expect(known).toContain('PATH');
    expect(known).not.toContain('MEDIA_API_KEY');
    const path = join(await useFolder(), 'file');
    expect(await run({ do: 'write', path })).toBe('written');
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
  });

  test('ends if it allocates memory or computes without limit', async () => {
    const run = useLevel(level);
    // Node.js either reports that it is out of memory, or is killed.
    await expect(run({ do: 'allocate' })).rejects.toThrow(/memory|ended/);
    await expect(run({ do: 'spin' })).rejects.toMatchObject({ code: 'child_broken' });
  });
});

test('logs once that the isolation is weaker than namespaces', async () => {
  const logged: string[] = [];
  const confinement = new Confinement({ log: recordingLogger(logged), strongest: 'none' });
  const limits = { memoryMib: 512 };
  await Promise.all([confinement.command('node', limits), confinement.command('node', limits)]);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('docs/confinement.md');
});
