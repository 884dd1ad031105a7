import type { MicroUsd } from '../../../../base/money.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type { ParticipantView } from './participant-view.ts';

/** The state of one session of voice conversion. */
export interface VoiceView {
  readonly sessionId: string;
  readonly guildId: string;
  /** The voice channel that the bot listens to. */
  readonly channelId: string;
  /** The channel in which the converted speech is played. Null if it is the same. */
  readonly stageChannelId: string | null;
  readonly phase: SessionPhase;
  /** When the session ends by itself (epoch milliseconds). */
  readonly endsAtMs: number;
  /** Whether the session continues after that while members speak and the budget lasts. */
  readonly isRenewed: boolean;
  /** The starter's voice, which members get who choose none. Undefined if it is none of the service's. */
  readonly usualVoice: string | undefined;
  readonly speakers: readonly ParticipantView[];
  /** The milliseconds of all speakers that will be billed. `estimate` is their cost by the bot's own meter. */
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
  /** Null if it could not be read. */
  readonly budget: BudgetView | null;
}

/** The phase of a session. */
export type SessionPhase =
  /** The bot has joined and speaks the notice. It does not listen to anybody yet. */
  | { readonly kind: 'announcing' }
  | { readonly kind: 'on' }
  /** The connection to Discord broke and is being restored. Nothing is open at the service. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'ended'; readonly why: SessionEnd };

/** Why a session ended. */
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
