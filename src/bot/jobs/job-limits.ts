import type { MediaKind } from '../../base/media-type.ts';
import { UPLOAD_LIMITS } from '../../media-api/upload-limits.ts';

/** The limits of the pipeline. Times are in milliseconds, sizes in bytes. */
export interface JobLimits {
  /** The number of steps of each `Lane` that run at the same time in this process. Default 8, 1 to 64. */
  readonly stepsAtOnce: number;
  /** The number of open jobs that one guild may have. Further commands are refused. Default 50. */
  readonly openPerGuildMax: number;
  /** The number of open jobs that one member may have across all guilds. Further commands are refused. Default 50. */
  readonly openPerMemberMax: number;
  /**
   * The number of open jobs across all guilds, not counting those that are waiting for a price confirmation. Further
   * commands are refused. The last fifth is reserved for guilds with fewer than 5 open jobs. Default 1,000.
   */
  readonly openMax: number;
  /** How long a claimed step belongs to its worker unless the worker renews the lease. Default 30 s. */
  readonly leaseMs: number;
  /**
   * The number of leases in a row that may run out without a result. After that, the step is not run again, because it
   * probably crashed the processes that ran it. Default 3.
   */
  readonly lostLeasesMax: number;
  /** How long a step may run before it is aborted and repeated. Default 10 min. */
  readonly stepMsMax: number;
  /**
   * The size limit of an input file, by kind. Default: the service's limits (45, 45 and 500 MiB), and 64 KiB of text.
   */
  readonly inputBytesMax: Readonly<Record<MediaKind | 'text', number>>;
  /** The length limits of clips and sounds, in seconds. Default 600 each. */
  readonly inputSecondsMax: Readonly<Record<'audio' | 'video', number>>;
  /** The largest picture in megapixels. Larger pictures are never decoded. Default 50. */
  readonly megapixelsMax: number;
  /** The length that is assumed for a clip or sound while it is not known, in seconds. Default 30. */
  readonly clipSecondsDefault: number;
  /** How long the bot waits before it retries a capability that the service has switched off. Default 5 min. */
  readonly switchProbeMs: number;
  /** How long an upload can be reused for the same file from the same member. Default 24 h. */
  readonly uploadReuseMs: number;
  /** The number of unused uploads of one input that may remain at the service before the job fails. Default 6. */
  readonly orphansMax: number;
  /** How long the download and upload of inputs are attempted before the job fails. Default 5 min. */
  readonly prepareMsMax: number;
  /** How long a job waits for the price confirmation before it ends. Default 10 min. */
  readonly confirmMsMax: number;
  /**
   * How long a submission without a response is repeated, with the same idempotency key, before the hold goes to
   * review. Default 30 min.
   */
  readonly submitMsMax: number;
  /** How long a job waits for room at the service. Default 6 h. */
  readonly capacityMsMax: number;
  /** The shortest and the longest wait between two status checks on a job that is polled. Default 2 s and 30 s. */
  readonly pollMsFirst: number;
  readonly pollMsMax: number;
  /**
   * The shortest time to wait for a webhook before the first check, on top of the time that nearly all jobs take.
   * Default 10 s.
   */
  readonly webhookMsMin: number;
  /**
   * The longest wait between two checks if a webhook is expected. Default 100 s, so that a lost webhook is noticed
   * within 2 min.
   */
  readonly sweepMsMax: number;
  /** After this time at the service, a job counts as stale and is checked only every 10 min. Default 24 h. */
  readonly staleMs: number;
  /** How long the service may report a submitted job as unknown before its hold goes to review. Default 10 min. */
  readonly unknownJobMs: number;
  /** How long a result is held back while its charge is not known. Default 10 min. */
  readonly chargeMsMax: number;
  /** How long the bot tries to collect a finished result. Default 1 h. */
  readonly collectMsMax: number;
  /** How long results, and the inputs for a retry, are kept. Default 30 days. */
  readonly resultKeepMs: number;
  /** How long a link to a kept result works. Default 24 h. */
  readonly resultLinkMs: number;
  /** How long the bot tries to post a final card. Default 24 h. */
  readonly postMsMax: number;
  /** The largest result in bytes. Default 500 MB. */
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
