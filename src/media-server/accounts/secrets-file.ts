import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';

/**
 * The one file of secrets in clear, `secrets.json` in the data folder, readable by its owner only: the
 * master key that seals signing secrets and signs links, and the API key made at first start, so that an
 * embedded bot finds it again. Keys made later and keys given from outside are never in it.
 */
export interface ServerSecrets {
  readonly masterKey: string;
  readonly apiKey?: string | undefined;
}

const schema: z.ZodType<ServerSecrets> = z.object({
  masterKey: z.string().regex(/^[0-9a-f]{64}$/),
  apiKey: z.string().optional(),
});

/** Reads the data folder's secrets, or makes and stores a fresh master key. */
export async function loadSecrets(dataDir: string): Promise<ServerSecrets> {
  try {
    return schema.parse(JSON.parse(await readFile(secretsPath(dataDir), 'utf8')));
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
  const secrets = { masterKey: randomBytes(32).toString('hex') };
  await saveSecrets(dataDir, secrets);
  return secrets;
}

/** Replaces the file in one step, so that a crash leaves the old or the new one. */
export async function saveSecrets(dataDir: string, secrets: ServerSecrets): Promise<void> {
  const temporary = `${secretsPath(dataDir)}.new`;
  await rm(temporary, { force: true });
  await writeFile(temporary, JSON.stringify(secrets), { mode: 0o600, flag: 'wx', flush: true });
  await rename(temporary, secretsPath(dataDir));
}

function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}
