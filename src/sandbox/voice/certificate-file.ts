import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A certificate in a file of its own. The file is deleted on disposal. */
export class CertificateFile implements AsyncDisposable {
  readonly path: string;
  readonly pem: string;

  private constructor(path: string, pem: string) {
    this.path = path;
    this.pem = pem;
  }

  static async write(pem: string): Promise<CertificateFile> {
    const folder = await mkdtemp(join(tmpdir(), 'masquerade-sandbox-'));
    const path = join(folder, 'ca.pem');
    await writeFile(path, pem);
    return new CertificateFile(path, pem);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(dirname(this.path), { recursive: true, force: true });
  }
}
