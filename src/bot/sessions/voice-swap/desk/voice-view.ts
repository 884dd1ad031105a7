import type { MicroUsd } from '../../../../base/money.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type { ParticipantView } from './participant-view.ts';

/** The state of a voice session, as members see it. */
export interface VoiceView {
  readonly sessionId: string;
  readonly guildId: string;
  /** The voice channel that the bot listens to. */
  readonly channelId: string;
  /** The channel in which the converted speech is played; null if it is the same channel. */
  readonly stageChannelId: string | null;
  readonly phase: SessionPhase;
  /** When the session ends by itself (epoch milliseconds). */
  readonly endsAtMs: number;
  /** Whether the session is prolonged at its end while members speak and the budget allows it. */
  readonly isRenewed: boolean;
  /** The starter's voice, which members get if they choose none. `undefined` if the service does not have it. */
  readonly usualVoice: string | undefined;
  readonly speakers: readonly ParticipantView[];
  /**
   * The sum of the milliseconds that will be billed, over all participants. `estimate` is their cost by the bot's own
   * meter.
   */
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
  /** Null if the budget could not be read. */
  readonly budget: BudgetView | null;
}

/** The phase of a session. */
export type SessionPhase =
  /** The bot has joined and is speaking the notice. It does not listen to anybody yet. */
  | { readonly kind: 'announcing' }
  | { readonly kind: 'on' }
  /** The connection to Discord broke and is being restored. No line is open. */
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
