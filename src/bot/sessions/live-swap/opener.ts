import type { Live } from '../live.ts';
import type { PaidSession, SessionListener } from '../paid-session.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import { type ChosenFace, type FaceUploadOptions, uploadFace } from './face-upload.ts';
import type { LiveFrameCodec } from './frame-codec.ts';
import { LiveSwapError } from './live-swap-error.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';

export interface OpenerOptions extends Omit<FaceUploadOptions, 'api'> {
  readonly api: Pick<MediaApi, 'sessions' | 'uploads'>;
  readonly live: Pick<Live, 'sessions'>;
}

/** What is to be opened, and for whom. */
export interface Opening {
  readonly by: CallOrigin;
  readonly sessionId: string;
  readonly minutes: number;
  readonly prompt: string | undefined;
  readonly face: ChosenFace | null;
  readonly codec: LiveFrameCodec;
}

/** An open session at the service. */
export interface Opened {
  readonly paid: PaidSession;
  /** As the service understood it, for members: the key of an upload is of no use to them. Null: it did not say. */
  readonly prompt: string | null;
}

export type Open = (listener: SessionListener, signal: AbortSignal) => Promise<Opened>;

/** Brings the face, holds the money, asks the service and connects. However often it is tried, the face is uploaded once. */
export function openerOf(options: OpenerOptions, opening: Opening): Open {
  const { api, live } = options;
  const { by, sessionId, minutes, prompt, face, codec } = opening;
  const { guildId, channelId, userId, roleIds } = by;
  let uploaded: string | undefined;
  return async (listener, signal) => {
    if (face) uploaded ??= await uploadFace(face, { userId, sessionId }, options, signal);
    const fileKey = uploaded;
    const worded = fileKey === undefined ? prompt : codec.promptWithFace?.(prompt, fileKey);
    if (fileKey !== undefined && worded === undefined) throw new LiveSwapError('prompt_too_long');
    const paid = await live.sessions.open(
      {
        guildId,
        channelId,
        userId,
        roleIds,
        capability: 'live_swap_pro',
        voiceId: null,
        seconds: minutes * 60,
        isOnlyOne: true,
        ask: (call) => api.sessions.openLive({ minutes, prompt: worded }, call),
      },
      listener,
      signal,
    );
    const resolved = paid.granted.prompt;
    const shown = fileKey === undefined ? resolved : resolved?.replaceAll(fileKey, 'your picture');
    return { paid, prompt: shown ?? null };
  };
}
