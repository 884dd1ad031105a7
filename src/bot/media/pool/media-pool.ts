import { rm } from 'node:fs/promises';
import { z } from 'zod';
import type { ChildLimits } from '../../../base/children/child-limits.ts';
import type { Confinement } from '../../../base/children/confinement.ts';
import { BrokenChildError, TaskFailedError } from '../../../base/children/task-child.ts';
import { TaskPool } from '../../../base/children/task-pool.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { MediaKind, MediaType } from '../../../base/media-type.ts';
import type { Admitted, MediaLimits } from '../admit.ts';
import type { Marked } from '../marks/mark-file.ts';
import type { SourceType } from '../marks/source-type.ts';
import { Fitter } from '../fit/fitter.ts';
import type { FitTask, Fitted } from '../fit/fit-task.ts';
import { MediaError } from '../media-error.ts';
import { MEDIA_ANSWERS, type MediaAnswers, type MediaTask, mediaProblem } from './media-task.ts';

interface MediaPoolOptions {
  readonly confinement: Confinement;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default: 640 MiB of memory, 5 min of processor time for all files of one child, files of up to 1 GiB. */
  readonly limits?: ChildLimits;
  /** The number of files that may wait for a child. Default 64. */
  readonly waitingMax?: number;
}

const CHILD = new URL(`media-child.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/** The number of children. One owner's files may occupy all but one of them; the last is left for everybody else. */
const CHILDREN_MAX = 3;
const CHILDREN_PER_OWNER = 2;
const WAITING_MAX = 64;
/** The time limit for one file. A 500 MB clip takes seconds, or minutes if the disk is slow. */
const TIMEOUT_MS = 240_000;
const FILES_MAX = 200;
const HEAP_MIB = 256;
const REASON_LENGTH_MAX = 200;
const ANSWER_BYTES_MAX = 128 * 1024;
/** The niceness is high, because the bot's replies have priority over the processing of files. */
const LIMITS: ChildLimits = { memoryMib: 640, cpuSeconds: 300, fileMib: 1_024, niceness: 10 };

/**
 * Opens members' files, and results made from them, in confined child processes. The process that holds tokens and keys
 * does not parse any bytes of these files. A file that crashes its child, or takes too much memory or time, is refused
 * as too complex. `owner`, a guild or a member, identifies whose file it is, so that one owner's files do not delay
 * other owners' files.
 */
export class MediaPool implements AsyncDisposable {
  readonly #pool: TaskPool;
  readonly #fitter: Fitter;
  readonly #log: Logger;

  constructor({ confinement, clock, log, limits = LIMITS, waitingMax = WAITING_MAX }: MediaPoolOptions) {
    this.#log = log;
    this.#fitter = new Fitter({ confinement, clock, log });
    this.#pool = new TaskPool({
      module: CHILD,
      confinement,
      clock,
      log,
      limits,
      waitingMax,
      childrenMax: CHILDREN_MAX,
      childrenPerOwner: CHILDREN_PER_OWNER,
      timeoutMs: TIMEOUT_MS,
      tasksMax: FILES_MAX,
      heapMib: HEAP_MIB,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
  }

  /**
   * Checks and cleans a file as `admit` in `src/bot/media/admit.ts` does. Throws `MediaError` if the file is unusable,
   * and a different error if the file is not the cause.
   */
  admit(
    path: string,
    kind: MediaKind,
    limits: MediaLimits,
    signal: AbortSignal,
    owner?: string,
  ): Promise<Admitted> {
    return this.#do({ what: 'admit', path, kind, limits }, [`${path}.clean`], { signal, owner });
  }

  /** Returns the media type according to the leading bytes; `undefined` for anything but images, audio and video. */
  async sniff(path: string, signal: AbortSignal, owner?: string): Promise<MediaType | undefined> {
    try {
      return (await this.#do({ what: 'sniff', path }, [], { signal, owner })) ?? undefined;
    } catch (error) {
      if (error instanceof MediaError) return undefined;
      throw error;
    }
  }

  /** Marks a file as `markFile` does. */
  async mark(
    path: string,
    options: { readonly mime: string; readonly type: SourceType },
    signal: AbortSignal,
    owner?: string,
  ): Promise<Marked> {
    try {
      return await this.#do({ what: 'mark', path, ...options }, [`${path}.part`], { signal, owner });
    } catch (error) {
      if (error instanceof MediaError) return 'damaged';
      throw error;
    }
  }

  /**
   * Returns a smaller copy of a result, which `Fitter` makes; `undefined` if the result cannot be made small enough.
   */
  fit(kind: FitTask['kind'], file: Omit<FitTask, 'kind'>, signal: AbortSignal): Promise<Fitted | undefined> {
    return this.#fitter.fit(kind, file, signal);
  }

  /**
   * Converts the file at `path` to a clean face picture at `toPath`, as `src/bot/media/face-picture.ts` does, deletes
   * the original, and returns the new size in bytes. Throws `MediaError`.
   */
  async cleanFace(path: string, toPath: string, signal: AbortSignal, owner?: string): Promise<number> {
    try {
      const { sizeBytes } = await this.#do({ what: 'clean_face', path, toPath }, [`${toPath}.part`], {
        signal,
        owner,
      });
      return sizeBytes;
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Returns a small copy of a saved face as JPEG. */
  async previewFace(path: string, signal: AbortSignal, owner?: string): Promise<Uint8Array> {
    return Buffer.from(
      (await this.#do({ what: 'preview_face', path }, [], { signal, owner })).base64,
      'base64',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#pool[Symbol.asyncDispose](), this.#fitter[Symbol.asyncDispose]()]);
  }

  /** Runs a task in a child. `parts` are the paths of the files that a killed child may leave half-written. */
  async #do<What extends MediaTask['what']>(
    task: MediaTask & { readonly what: What },
    parts: readonly string[],
    { signal, owner }: { readonly signal: AbortSignal; readonly owner: string | undefined },
  ): Promise<MediaAnswers[What]> {
    try {
      const said = await this.#pool.run(task, signal, { owner });
      return answerOf(task.what, said);
    } catch (error) {
      for (const part of parts) await rm(part, { force: true });
      throw this.#judge(error, task.what);
    }
  }

  #judge(error: unknown, what: MediaTask['what']): unknown {
    const isBroken = error instanceof BrokenChildError;
    if (!isBroken && !(error instanceof TaskFailedError && error.systemCode === null)) return error;
    const reason = error.message.slice(0, REASON_LENGTH_MAX);
    this.#log.warn({ what, reason }, 'A file broke the process that opened it');
    return new MediaError({ kind: isBroken ? 'too_complex' : 'undecodable' }, reason);
  }
}

const childOutcome = z.object({ problem: mediaProblem.optional(), answer: z.unknown().optional() });

function answerOf<What extends MediaTask['what']>(what: What, said: unknown): MediaAnswers[What] {
  const outcome = childOutcome.safeParse(said);
  if (outcome.data?.problem) throw new MediaError(outcome.data.problem, outcome.data.problem.kind);
  const form: z.ZodType<MediaAnswers[What]> = MEDIA_ANSWERS[what];
  const answer = form.safeParse(outcome.data?.answer);
  if (!answer.success) throw new BrokenChildError('gave an answer that cannot be read');
  return answer.data;
}
