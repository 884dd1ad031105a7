import type { Generated, Insertable, Selectable, Updateable } from 'kysely';

/** A `text` becomes the body field's value itself. */
export type InputKind = 'image' | 'audio' | 'video' | 'text';

type InputSourceName = 'chat' | 'newest' | 'saved_face' | 'result' | 'input';

/** A file a member gave to a job: where it came from, then where it is kept, then its key at the service. */
export interface JobInputsTable {
  job_id: string;
  field: string;
  option_name: string;
  kind: InputKind;
  source: InputSourceName;
  /** Which saved face, job's result, or job's input (`JOB/FIELD`); null for the others. */
  source_id: string | null;
  /** Of files of the chat; else empty. */
  url: string;
  /** Before it is fetched: what the chat claims. */
  size_bytes: number | null;
  path: string | null;
  sha256: string | null;
  mime: string | null;
  extension: string | null;
  file_key: string | null;
  /** Of what lasts. */
  duration_ms: number | null;
  /** When its job was settled: its file is kept for a while from then on. */
  kept_since_ms: number | null;
  reuse: Generated<UploadReuse>;
}

/** `gone`: an owner who had their data removed. */
type OwnerKind = 'avatar' | 'message' | 'face' | 'gone';

/**
 * A member who owns the picture that an input is, or is made from: their avatar, a file of their message, or their
 * saved face.
 */
export interface JobInputOwnersTable {
  job_id: string;
  field: string;
  /** Empty of `gone`. */
  owner_id: string;
  kind: OwnerKind;
}

/** Whether the key is that of an earlier upload: it may be, it is, or the service did not take such a one. */
type UploadReuse = 'allowed' | 'used' | 'refused';

/** What became of an upload. An `orphan` may be at the service without anybody knowing its key. */
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
