import type { MediaKind } from '../../base/media-type.ts';
import type { Database } from './database.ts';

/** A stored upload. When its file is deleted, the row stays and `deletedAt` is set. */
interface UploadRow {
  readonly id: string;
  readonly accountId: string;
  readonly kind: MediaKind;
  /** The type that the uploader declared. It is never trusted when the file is served. */
  readonly mime: string;
  readonly sizeBytes: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly deletedAt: number | null;
}

const COLUMNS = 'id, accountId, kind, mime, sizeBytes, createdAt, expiresAt, deletedAt';

export function insertUpload(db: Database, upload: Omit<UploadRow, 'deletedAt'>): void {
  db.run(
    `INSERT INTO uploads (id, accountId, kind, mime, sizeBytes, createdAt, expiresAt)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    upload.id,
    upload.accountId,
    upload.kind,
    upload.mime,
    upload.sizeBytes,
    upload.createdAt,
    upload.expiresAt,
  );
}

/** Finds the upload if its file is still stored. */
export function findUpload(db: Database, id: string): UploadRow | undefined {
  return db.get(`SELECT ${COLUMNS} FROM uploads WHERE id = ? AND deletedAt IS NULL`, id);
}

/** Returns the total size of the account's stored uploads, in bytes. */
export function keptUploadBytes(db: Database, accountId: string): number {
  return (
    db.get<{ total: number | null }>(
      'SELECT sum(sizeBytes) AS total FROM uploads WHERE accountId = ? AND deletedAt IS NULL',
      accountId,
    )?.total ?? 0
  );
}

/** Marks expired uploads as deleted, except inputs of unfinished jobs, and returns their ids. */
export function expireUploads(db: Database, now: number, limit: number): string[] {
  const rows = db.all<{ id: string }>(
    `UPDATE uploads SET deletedAt = ? WHERE id IN (
      SELECT id FROM uploads
       WHERE deletedAt IS NULL AND expiresAt <= ?
         AND NOT EXISTS (
           SELECT 1 FROM jobInputs JOIN jobs ON jobs.id = jobInputs.jobId
            WHERE jobInputs.uploadId = uploads.id AND jobs.finishedAt IS NULL)
       LIMIT ?)
     RETURNING id`,
    now,
    now,
    limit,
  );
  return rows.map((row) => row.id);
}
