import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/** The kind of an input. A `text` is itself the value of the body field. */
type InputKind = 'image' | 'audio' | 'video' | 'text';

type InputSourceName = 'chat' | 'newest' | 'saved_face' | 'result' | 'input';

/**
 * A file that a member gave to a job. At first it has only a source, later also a path, and finally a key at the
 * service.
 */
export interface JobInputsTable {
  job_id: string;
  field: string;
  option_name: string;
  kind: InputKind;
  source: InputSourceName;
  /**
   * The id of the source: of the saved face, of the job whose result is used, or of the job input (`JOB/FIELD`). Null
   * for other sources.
   */
  source_id: string | null;
  /** The link to a file in the chat; otherwise empty. */
  url: string;
  /** The size that the chat claims, until the file is fetched. */
  size_bytes: number | null;
  path: string | null;
  sha256: string | null;
  mime: string | null;
  extension: string | null;
  file_key: string | null;
  /** The duration of audio and video. */
  duration_ms: number | null;
  /** When the job was settled. The time for which the file is kept starts then. */
  kept_since_ms: number | null;
  reuse: Generated<UploadReuse>;
}

/** `gone` stands for an owner whose data was removed. */
type OwnerKind = 'avatar' | 'message' | 'face' | 'gone';

/**
 * A member who owns the picture used for an input: their avatar, a file in their message, or their saved face. The
 * input is the picture itself or is made from it.
 */
export interface JobInputOwnersTable {
  job_id: string;
  field: string;
  /** Empty for `gone`. */
  owner_id: string;
  kind: OwnerKind;
}

/**
 * Whether an earlier upload of the same file may be used, was used, or must not be used because the service rejected
 * it.
 */
type UploadReuse = 'allowed' | 'used' | 'refused';

/** The state of an upload. An `orphan` may be at the service under an unknown key. */
type UploadState = 'sending' | 'kept' | 'orphan' | 'rejected';

export interface UploadsTable {
  id: Generated<number>;
  job_id: string;
  field: string;
  user_id: string;
  sha256: string;
  state: UploadState;
  file_key: string | null;
  created_at_ms: number;
}

export type JobInputRow = Selectable<JobInputsTable>;
export type NewJobInput = Insertable<JobInputsTable>;
export type JobInputPatch = Updateable<JobInputsTable>;
export type InputOwnerRow = Selectable<JobInputOwnersTable>;
