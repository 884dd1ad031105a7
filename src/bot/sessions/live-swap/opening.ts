import type { PaidSessions } from '../paid-sessions.ts';
import type { PaidSession, SessionListener } from '../paid-session.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import { type ChosenFace, type FaceUploadOptions, uploadFace } from './upload-face.ts';
import type { LiveFrameCodec } from './live-frame-codec.ts';
import { LiveSwapError } from './live-swap-error.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';

export interface OpenerOptions extends Omit<FaceUploadOptions, 'api'> {
  readonly api: Pick<MediaApi, 'sessions' | 'uploads'>;
  readonly paid: Pick<PaidSessions, 'opener'>;
}

/** The data needed to open a session. */
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
  /** The prompt as interpreted by the service, without the upload's key; null if the service did not return it. */
  readonly prompt: string | null;
}

export type Open = (listener: SessionListener, signal: AbortSignal) => Promise<Opened>;

/**
 * Returns a function that uploads the face, sets the money aside, requests the session and connects to it. The face is
 * uploaded only once, however many times the function is called.
 */
export function openerOf(options: OpenerOptions, opening: Opening): Open {
  const { api, paid: sessions } = options;
  const { by, sessionId, minutes, prompt, face, codec } = opening;
  const { guildId, channelId, userId, roleIds } = by;
  let uploaded: string | undefined;
  return async (listener, signal) => {
    if (face) uploaded ??= await uploadFace(face, { userId, sessionId }, options, signal);
    const fileKey = uploaded;
    const worded = fileKey === undefined ? prompt : codec.promptWithFace?.(prompt, fileKey);
    if (fileKey !== undefined && worded === undefined) throw new LiveSwapError('prompt_too_long');
    const paid = await sessions.opener.open(
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
