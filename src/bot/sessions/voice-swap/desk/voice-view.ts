import type { MicroUsd } from '../../../../base/money.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type { SpeakerView } from './speaker-view.ts';

/** One session of voice conversion, as it stands now. */
export interface VoiceView {
  readonly sessionId: string;
  readonly guildId: string;
  /** Of the voice channel. */
  readonly channelId: string;
  /** Where the converted speech is played, if elsewhere. */
  readonly stageChannelId: string | null;
  readonly phase: SessionPhase;
  /** When it ends by itself (epoch milliseconds). */
  readonly endsAtMs: number;
  /** It goes on after that, for as long as somebody speaks and the budget lasts. */
  readonly isRenewed: boolean;
  /** The starter's voice, which others get who name none; undefined when that is none of the service's. */
  readonly usualVoice: string | undefined;
  readonly speakers: readonly SpeakerView[];
  /** Of all speakers: milliseconds that will be billed, and what they cost by our own meter. */
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
  /** Null when it could not be learned. */
  readonly budget: BudgetView | null;
}

export type SessionPhase =
  /** Joined; the notice is being spoken, nobody is heard yet. */
  | { readonly kind: 'announcing' }
  | { readonly kind: 'on' }
  /** Discord's connection broke and is being made again; nothing is open at the service. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'ended'; readonly why: SessionEnd };

export type SessionEnd =
  | 'stopped'
  | 'time_up'
  | 'empty'
  | 'moved'
  | 'disconnected'
  | 'channel_deleted'
  | 'unreachable'
  | 'undisclosed'
  | 'shutdown'
  | 'crash';
