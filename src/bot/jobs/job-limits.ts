import type { MediaKind } from '../../base/media-type.ts';
import { UPLOAD_LIMITS } from '../../media-api/upload-limits.ts';

/** Bounds of the pipeline. Times in milliseconds, sizes in bytes. */
export interface JobLimits {
  /** Steps that run side by side in this process, for each `Lane`. Default 8, 1 to 64. */
  readonly stepsAtOnce: number;
  /** Open jobs of one guild; a further command is refused. Default 50. */
  readonly openPerGuildMax: number;
  /** Open jobs of one member in all guilds; a further command is refused. Default 50. */
  readonly openPerMemberMax: number;
  /**
   * Open jobs altogether, without those that wait for a yes to their price; a further command is refused. The last fifth
   * is reserved for guilds with fewer than 5. Default 1,000.
   */
  readonly openMax: number;
  /** A claimed step belongs to its worker this long unless the worker renews it. Default 30 s. */
  readonly leaseMs: number;
  /**
   * Number of leases in a row that may run out without a result. After that a step is not run again, because it ended
   * its processes. Default 3.
   */
  readonly lostLeasesMax: number;
  /** A step is abandoned and repeated after this long. Default 10 min. */
  readonly stepMsMax: number;
  /** Largest file taken from the chat, by kind. Default: what the service takes, 45, 45 and 500 MiB; 64 KiB of text. */
  readonly inputBytesMax: Readonly<Record<MediaKind | 'text', number>>;
  /** Longest clip or sound in seconds. Default 600 each. */
  readonly inputSecondsMax: Readonly<Record<'audio' | 'video', number>>;
  /** Largest picture in megapixels; larger ones are never decoded. Default 50. */
  readonly megapixelsMax: number;
  /** What a clip or sound counts as before its length is known, in seconds. Default 30. */
  readonly clipSecondsDefault: number;
  /** How often a capability that the service has switched off is tried again. Default 5 min. */
  readonly switchProbeMs: number;
  /** How long an upload is used again for the same file of the same member. Default 24 h. */
  readonly uploadReuseMs: number;
  /** Uploads of one input that may have been left behind at the service before the job is given up. Default 6. */
  readonly orphansMax: number;
  /** How long inputs are fetched and uploaded before the member is told it cannot be done. Default 5 min. */
  readonly prepareMsMax: number;
  /** How long a job waits for its member's yes to its price, before it ends. Default 10 min. */
  readonly confirmMsMax: number;
  /** How long an unconfirmed submit is repeated with its key before it is left for review. Default 30 min. */
  readonly submitMsMax: number;
  /** How long a job waits for a place at the service while that is full. Default 6 h. */
  readonly capacityMsMax: number;
  /** Status checks of a job that is polled: the shortest and the longest wait between two. Default 2 s and 30 s. */
  readonly pollMsFirst: number;
  readonly pollMsMax: number;
  /** How long a webhook is waited for at least, over the time nearly all jobs take, before the first check. Default 10 s. */
  readonly webhookMsMin: number;
  /** The longest wait between two checks where a webhook was expected. Default 100 s: a lost one is found in 2 min. */
  readonly sweepMsMax: number;
  /** After this long a job counts as stale: still checked, but every 10 min only. Default 24 h. */
  readonly staleMs: number;
  /** How long the service may not know a job before its hold is set aside for review. Default 10 min. */
  readonly unknownJobMs: number;
  /** How long a result is held back because its charge is not told yet. Default 10 min. */
  readonly chargeMsMax: number;
  /** How long a finished result is tried to be collected. Default 1 h. */
  readonly collectMsMax: number;
  /** How long results are kept, and inputs for another try. Default 30 days. */
  readonly resultKeepMs: number;
  /** How long a link to a kept result is good. Default 24 h. */
  readonly resultLinkMs: number;
  /** How long a final card is tried to be posted. Default 24 h. */
  readonly postMsMax: number;
  /** Largest result. Default 500 MB. */
  readonly resultBytesMax: number;
}

export const JOB_LIMITS: JobLimits = {
  stepsAtOnce: 8,
  openPerGuildMax: 50,
  openPerMemberMax: 50,
  openMax: 1_000,
  leaseMs: 30_000,
  lostLeasesMax: 3,
  stepMsMax: 600_000,
  inputBytesMax: {
    image: UPLOAD_LIMITS.imageBytesMax,
    audio: UPLOAD_LIMITS.audioBytesMax,
    video: UPLOAD_LIMITS.videoBytesMax,
    text: 64 * 1024,
  },
  inputSecondsMax: { audio: 600, video: 600 },
  megapixelsMax: 50,
  clipSecondsDefault: 30,
  switchProbeMs: 300_000,
  uploadReuseMs: 86_400_000,
  orphansMax: 6,
  prepareMsMax: 300_000,
  confirmMsMax: 600_000,
  submitMsMax: 1_800_000,
  capacityMsMax: 21_600_000,
  pollMsFirst: 2_000,
  pollMsMax: 30_000,
  webhookMsMin: 10_000,
  sweepMsMax: 100_000,
  staleMs: 86_400_000,
  unknownJobMs: 600_000,
  chargeMsMax: 600_000,
  collectMsMax: 3_600_000,
  resultKeepMs: 30 * 86_400_000,
  resultLinkMs: 86_400_000,
  postMsMax: 86_400_000,
  resultBytesMax: 500_000_000,
};
