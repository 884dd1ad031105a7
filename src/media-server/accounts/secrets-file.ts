import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';

/**
 * The content of `secrets.json` in the data folder, the only file with unencrypted secrets. Only its owner can read it.
 * It contains the master key, which encrypts signing secrets and signs links, and the API key that the first start
 * generated, so that an embedded bot finds it again. Other keys are never stored in it.
 */
export interface ServerSecrets {
  readonly masterKey: string;
  readonly apiKey?: string | undefined;
}

const schema: z.ZodType<ServerSecrets> = z.object({
  masterKey: z.string().regex(/^[0-9a-f]{64}$/),
  apiKey: z.string().optional(),
});

/** Reads the data folder's secrets, or generates and stores a new master key. */
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

/** Replaces the file atomically, so that after a crash either the old or the new file exists. */
export async function saveSecrets(dataDir: string, secrets: ServerSecrets): Promise<void> {
  const temporary = `${secretsPath(dataDir)}.new`;
  await rm(temporary, { force: true });
  await writeFile(temporary, JSON.stringify(secrets), { mode: 0o600, flag: 'wx', flush: true });
  await rename(temporary, secretsPath(dataDir));
}

function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}
