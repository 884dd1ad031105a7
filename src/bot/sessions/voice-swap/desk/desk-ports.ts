import type { MicroUsd } from '../../../../base/money.ts';
import type { CallOrigin } from '../../../jobs/ports.ts';
import type { AccessRefusal } from '../../../jobs/intake/refusals.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type { VoiceLine } from '../../ports.ts';
import type { VoiceEndpoint } from '../ports.ts';
import type { VoiceConsentText } from './consent-text.ts';

/** What a member's speech becomes: one of the service's voices, or null for no change, which is a choice too. */
export interface VoiceChoice {
  readonly voiceId: string | null;
}

/** For how long, in minutes from 1 to 120, and with which voice for the one who starts. */
export interface StartWish extends VoiceChoice {
  readonly minutes: number;
  /** Another channel, where a second bot user speaks what is heard in the caller's; for moderators. */
  readonly stageChannelId?: string | undefined;
}

/**
 * Voice conversion in the voice channels of guilds, one channel of each at a time. Methods throw `VoiceDeskError`,
 * with words for the one who asked.
 */
export interface VoiceDesk {
  /** Joins the channel that the member is in, says so there for all to see, and takes the member in. */
  start(by: CallOrigin, wish: StartWish): Promise<Joined>;
  /** Takes the member in, or changes their voice. Without a choice it is the one they had, or that of the starter. */
  join(by: CallOrigin, choice?: VoiceChoice): Promise<Joined>;
  /** The member agrees to the text that they were shown when they wanted to join. */
  agree(by: CallOrigin, sessionId: string): Promise<Joined>;
  /** The member is not heard any more; another one for those who may stop it. False: they were not in it. */
  leave(by: CallOrigin, memberId?: string): Promise<boolean>;
  /** For the starter, admins, and those who may move or mute members of voice channels. */
  stop(by: CallOrigin): Promise<void>;
  /** What goes on in the guild; null: nothing. */
  status(guildId: string): Promise<VoiceView | null>;
}

/** What asking to join came to. */
export type Joined =
  /** Heard from now on, converted as soon as the service is connected. */
  | { readonly kind: 'joined'; readonly view: VoiceView; readonly speaker: SpeakerView }
  /** They must agree to this first. */
  | { readonly kind: 'ask'; readonly view: VoiceView; readonly text: VoiceConsentText }
  /** A rule of the guild is against it. */
  | { readonly kind: 'refused'; readonly access: AccessRefusal };

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

/** One member who is in it. */
export interface SpeakerView {
  readonly userId: string;
  /** The service's own name, untrusted text; null: no change. */
  readonly voice: string | null;
  readonly state: SpeakerState;
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
}

export type SpeakerState =
  /** Nothing is open; it is opened when they speak. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'connecting' }
  /** Until then at most (epoch milliseconds); `problem` says why it will not go on after that. */
  | { readonly kind: 'live'; readonly untilMs: number; readonly problem: string | null }
  /** Muted by the server. */
  | { readonly kind: 'silenced' }
  /** Tried again when they speak after that moment. */
  | { readonly kind: 'waiting'; readonly problem: string; readonly againAtMs: number }
  /** Not tried again before they join anew. */
  | { readonly kind: 'over'; readonly problem: string };

/** A message that shows a session, where it is. */
export interface PanelPlace {
  readonly channelId: string;
  readonly messageId: string;
}

/** Messages that show sessions. Implemented in `src/bot/discord/cards/voice-panels.ts`. Throws when the chat could not be asked. */
export interface VoicePanels {
  /** Null: the chat does not let the bot. Nobody is pinged. */
  post(channelId: string, view: VoiceView, signal: AbortSignal): Promise<PanelPlace | null>;
  /** False: the message is gone, or cannot be changed any more. */
  edit(place: PanelPlace, view: VoiceView, signal: AbortSignal): Promise<boolean>;
  remove(place: PanelPlace, signal: AbortSignal): Promise<void>;
  /** Says in the channel that a session ends soon. */
  warn(channelId: string, view: VoiceView, signal: AbortSignal): Promise<void>;
}

/** Where members and channels are. Implemented in `src/bot/discord/voice/voice-whereabouts.ts`. */
export interface VoiceWhereabouts {
  /** Whether the chat tells this bot who is in which voice channel. */
  readonly isKnown: boolean;
  /** The voice channel that a member is in; null: none. */
  channelOf(guildId: string, userId: string): string | null;
  /** As a call from there would have it; null when the channel is not known. */
  placeOf(
    guildId: string,
    channelId: string,
  ): Pick<CallOrigin, 'parentChannelIds' | 'isAgeRestricted'> | null;
  /** Whether this process looks after the guild. */
  isOurs(guildId: string): boolean;
}

/** Rules of guilds. Implemented in `src/bot/people/access/access.ts`. */
export interface VoiceRules {
  refusesVoice(by: CallOrigin): Promise<AccessRefusal | null>;
}

/** The sound of a channel: members' speech into their lines, and what comes back mixed into the channel. */
export interface VoiceSound extends AsyncDisposable {
  /**
   * Sends the member's speech over the line, which takes over without losing speech; null only listens for whether
   * they speak. Resolves when the line before is not needed any more.
   */
  connect(userId: string, line: VoiceLine | null): Promise<void>;
  /** The member is not listened to any more. */
  disconnect(userId: string): void;
  /** Calls back while a member speaks, at most some times a second. */
  onSpeech(listener: (userId: string) => void): Disposable;
}

/** Listens at the first place, and speaks at the second, which may be the same. It leaves neither. */
export type OpenSound = (listening: VoiceEndpoint, speaking: VoiceEndpoint) => VoiceSound;

/** What the service can speak with; null until it has told. */
export interface KnownVoices {
  readonly list: readonly { readonly id: string; readonly name: string }[] | null;
}
