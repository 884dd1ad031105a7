import type { MicroUsd } from '../../../../base/money.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type { ParticipantView } from './participant-view.ts';

/** The state of a voice session, as members see it. */
export interface VoiceView {
  readonly sessionId: string;
  readonly guildId: string;
  /** The voice channel that the bot listens to. */
  readonly channelId: string;
  /** The channel in which the converted speech is played; null if it is the one that the bot listens to. */
  readonly stageChannelId: string | null;
  readonly phase: SessionPhase;
  /** When the session ends unless it is ended earlier or extended (epoch milliseconds). */
  readonly endsAtMs: number;
  /** Whether the session is extended at its end if members are speaking and the budget allows it. */
  readonly isRenewed: boolean;
  /**
   * The voice of the member who started the session, which members get if they choose none. `undefined` if that member
   * left their voice unchanged, or the service does not have the voice.
   */
  readonly usualVoice: string | undefined;
  readonly speakers: readonly ParticipantView[];
  /**
   * The milliseconds that will be billed, summed over all participants. `estimate` is their cost according to the bot's
   * own meter.
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
