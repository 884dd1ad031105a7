import type { MicroUsd } from '../../../../base/money.ts';
import type { CallOrigin } from '../../../jobs/ports.ts';
import type { AccessRefusal } from '../../../jobs/intake/refusals.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type { VoiceLine } from '../../ports.ts';
import type { VoiceEndpoint } from '../ports.ts';
import type { VoiceConsentText } from './voice-consent-text.ts';

/** The voice that a member chose: one of the service's voices, or null for no change, which is a choice too. */
export interface VoiceChoice {
  readonly voiceId: string | null;
}

/** The wish of a member who starts a session: its length in minutes, from 1 to 120, and a voice for themselves. */
export interface StartWish extends VoiceChoice {
  readonly minutes: number;
  /** Another channel, in which a second bot user plays what is heard in the caller's channel; for moderators. */
  readonly stageChannelId?: string | undefined;
}

/**
 * Voice conversion in the voice channels of guilds, in one channel of each guild at a time. Methods throw
 * `VoiceDeskError`, whose text is written for the caller.
 */
export interface VoiceDesk {
  /** Joins the channel that the member is in, announces that there, and admits the member. */
  start(by: CallOrigin, wish: StartWish): Promise<Joined>;
  /** Admits the member, or changes their voice. Without a choice they keep their voice, or get that of the starter. */
  join(by: CallOrigin, choice?: VoiceChoice): Promise<Joined>;
  /** The member agrees to the text that they were shown when they asked to join. */
  agree(by: CallOrigin, sessionId: string): Promise<Joined>;
  /** The caller, or for moderators another member, is no longer heard. False: that member was not in it. */
  leave(by: CallOrigin, memberId?: string): Promise<boolean>;
  /** Ends the session; for the starter, admins, and members who may move or mute others in voice channels. */
  stop(by: CallOrigin): Promise<void>;
  /** The session of the guild; null: there is none. */
  status(guildId: string): Promise<VoiceView | null>;
}

/** The answer to a member who asked to join. */
export type Joined =
  /** The member is heard from now on, and converted as soon as the service is connected. */
  | { readonly kind: 'joined'; readonly view: VoiceView; readonly speaker: ParticipantView }
  /** The member must agree to this text first. */
  | { readonly kind: 'ask'; readonly view: VoiceView; readonly text: VoiceConsentText }
  /** A rule of the guild forbids it. */
  | { readonly kind: 'refused'; readonly access: AccessRefusal };

/** One session of voice conversion, as it is now. */
export interface VoiceView {
  readonly sessionId: string;
  readonly guildId: string;
  /** The voice channel. */
  readonly channelId: string;
  /** The channel where the converted speech is played, if it is another one. */
  readonly stageChannelId: string | null;
  readonly phase: SessionPhase;
  /** When it ends by itself (epoch milliseconds). */
  readonly endsAtMs: number;
  /** The session goes on after that, as long as a member speaks and the budget lasts. */
  readonly isRenewed: boolean;
  /** The starter's voice, which members get who name none; undefined if it is not one of the service's. */
  readonly usualVoice: string | undefined;
  readonly speakers: readonly ParticipantView[];
  /** For all participants: the milliseconds that will be billed, and their cost by our own meter. */
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
  /** Null if it could not be read. */
  readonly budget: BudgetView | null;
}

export type SessionPhase =
  /** The bot has joined and speaks the notice; nobody is heard yet. */
  | { readonly kind: 'announcing' }
  | { readonly kind: 'on' }
  /** The connection to Discord broke and is being restored; no line is open. */
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

/** One participant, as members see them. */
export interface ParticipantView {
  readonly userId: string;
  /** The service's own name, untrusted text; null: no change. */
  readonly voice: string | null;
  readonly state: ShownState;
  readonly convertedMs: number;
  readonly estimate: MicroUsd;
}

export type ShownState =
  /** No line is open; one is opened when the member speaks. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'connecting' }
  /** The line is open until `untilMs` (epoch) at the latest; `problem` says why no other line will follow it. */
  | { readonly kind: 'live'; readonly untilMs: number; readonly problem: string | null }
  /** The server mutes the member. */
  | { readonly kind: 'silenced' }
  /** Another line is opened when the member speaks after that moment (epoch milliseconds). */
  | { readonly kind: 'waiting'; readonly problem: string; readonly againAtMs: number }
  /** No line is opened until the member joins again. */
  | { readonly kind: 'over'; readonly problem: string };

/** Where the panel of a session is. */
export interface PanelPlace {
  readonly channelId: string;
  readonly messageId: string;
}

/** The panels of sessions. Implemented in `src/bot/discord/cards/voice-panels.ts`. Methods throw if Discord cannot be reached. */
export interface VoicePanels {
  /** Null: Discord does not allow it. Nobody is pinged. */
  post(channelId: string, view: VoiceView, signal: AbortSignal): Promise<PanelPlace | null>;
  /** False: the message is gone, or can no longer be edited. */
  edit(place: PanelPlace, view: VoiceView, signal: AbortSignal): Promise<boolean>;
  remove(place: PanelPlace, signal: AbortSignal): Promise<void>;
  /** Announces in the channel that a session ends soon. */
  warn(channelId: string, view: VoiceView, signal: AbortSignal): Promise<void>;
}

/** Where members and channels are. Implemented in `src/bot/discord/voice/discord-whereabouts.ts`. */
export interface VoiceWhereabouts {
  /** Whether Discord shows this bot who is in which voice channel. */
  readonly isKnown: boolean;
  /** The voice channel that a member is in; null: they are in none. */
  channelOf(guildId: string, userId: string): string | null;
  /** The details of the channel that a call from there carries; null if the channel is not known. */
  placeOf(
    guildId: string,
    channelId: string,
  ): Pick<CallOrigin, 'parentChannelIds' | 'isAgeRestricted'> | null;
  /** Whether this process serves the guild. */
  isOurs(guildId: string): boolean;
}

/** Rules of guilds. Implemented in `src/bot/people/access/access.ts`. */
export interface VoiceRules {
  refusesVoice(by: CallOrigin): Promise<AccessRefusal | null>;
}

/** The sound of a channel: carries the members' speech to their lines, and plays what comes back, mixed, in the channel. */
export interface VoiceSound extends AsyncDisposable {
  /**
   * Sends the member's speech over the line, which takes over from the previous one without losing speech; null only
   * listens for whether they speak. Resolves when the previous line is no longer needed.
   */
  connect(userId: string, line: VoiceLine | null): Promise<void>;
  /** Stops listening to the member. */
  disconnect(userId: string): void;
  /** Calls back several times a second while a member speaks. */
  onSpeech(listener: (userId: string) => void): Disposable;
}

/** Opens the sound of two places, which may be the same: one to listen at and one to play at. It leaves neither. */
export type OpenSound = (listening: VoiceEndpoint, speaking: VoiceEndpoint) => VoiceSound;

/** The voices of the service; `list` is null until the service has sent them. */
export interface KnownVoices {
  readonly list: readonly { readonly id: string; readonly name: string }[] | null;
}
