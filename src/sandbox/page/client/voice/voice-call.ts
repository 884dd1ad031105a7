import { type ReadonlySignal, type Signal, computed, effect, signal, untracked } from '@preact/signals';
import type { PageChannel, PageVoiceState } from '../../page-views.ts';
import type { PageRequest } from '../../page-wire.ts';
import type { Chat } from '../store/chat.ts';
import { remembered } from '../store/remembered.ts';
import { type AudioSupport, audioSupport } from './audio-support.ts';
import { Loudspeaker } from './loudspeaker.ts';
import { Microphone } from './microphone.ts';
import { microphoneRefusal } from './microphone-refusal.ts';

/** Whom the member hears: members' own voices, what bots say, both, or nobody. */
export type Hears = Extract<PageRequest, { t: 'hear' }>['which'];
type MicrophoneStatus = 'off' | 'asking' | 'on';

/** The member's call as this page takes part in it: its microphone and its loudspeaker. */
export class VoiceCall {
  readonly support: Signal<AudioSupport | null> = signal(null);
  readonly microphone: Signal<MicrophoneStatus> = signal('off');
  /** Why there is no microphone, to be read by the member; null when nothing is wrong. */
  readonly microphoneFault: Signal<string | null> = signal(null);
  /** What is heard at present. After a reload that is nobody until the member asks for it: browsers want a press. */
  readonly hears: Signal<Hears> = signal('none');
  /** What was heard last, and is heard from the next join on. */
  readonly preferred: Signal<Hears> = remembered('hears', (kept) =>
    kept === 'none' || kept === 'original' || kept === 'converted' ? kept : 'all',
  );
  /** RMS, 0-1. */
  readonly microphoneLevel: Signal<number> = signal(0);
  readonly heardLevel: Signal<number> = signal(0);
  /** The member's own state; null while it is in no call. */
  readonly own: ReadonlySignal<PageVoiceState | null>;
  readonly #chat: Chat;
  #loudspeaker: Promise<Loudspeaker> | undefined;
  #opened: Microphone | undefined;
  /** Who of those whom the page acts as is in the call. */
  #speaker: string | undefined;
  /** How many calls have ended, to know whether one did meanwhile. */
  #ended = 0;

  constructor(chat: Chat) {
    this.#chat = chat;
    this.own = computed(
      () => chat.call.value?.voice.find(({ user_id }) => user_id === chat.me.value?.id) ?? null,
    );
    const callOf = computed(() => (this.own.value ? `${chat.me.value?.id} ${chat.call.value?.id}` : null));
    effect(() => this.#callChanged(callOf.value));
    effect(() => this.#muteChanged(this.own.value));
    void audioSupport().then((support) => (this.support.value = support));
  }

  /** Joins a channel as the member acted as; to be called by a press. */
  async join(channel: PageChannel, { microphone }: { readonly microphone: boolean }): Promise<void> {
    const playing = this.listen(this.preferred.value);
    const isThere = await this.#act(channel.guild_id, 'voice/joins', { in: channel.id });
    await playing;
    if (!isThere && !this.own.value) await this.#closeLoudspeaker();
    if (isThere && microphone) await this.useMicrophone();
  }

  async leave(): Promise<void> {
    await this.#act(this.#chat.call.value?.guild_id, 'voice/leaves', {});
  }

  async setMuted(isMuted: boolean): Promise<void> {
    await this.#act(this.#chat.call.value?.guild_id, 'voice/sets', { self_mute: isMuted });
  }

  /** Says a sample in the member's name. */
  async saySample(name: string): Promise<void> {
    await this.#act(this.#chat.call.value?.guild_id, 'voice/speaks', { sample: name });
  }

  /** Asks for the microphone and speaks with it. */
  async useMicrophone(): Promise<void> {
    if (this.microphone.value !== 'off') return;
    this.microphone.value = 'asking';
    this.microphoneFault.value = null;
    const ended = this.#ended;
    try {
      this.#opened = await Microphone.open({
        send: (packet) => this.#chat.live.say(packet),
        levelled: (rms) => (this.microphoneLevel.value = rms),
        ended: () => this.#lostMicrophone(),
      });
      this.microphone.value = 'on';
      this.#muteChanged(this.own.value);
      if (ended !== this.#ended) await this.closeMicrophone();
    } catch (error) {
      this.microphone.value = 'off';
      this.microphoneFault.value = microphoneRefusal(error);
    }
  }

  async closeMicrophone(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.microphone.value = 'off';
    this.microphoneLevel.value = 0;
    await opened?.[Symbol.asyncDispose]();
  }

  /** Hears the call; to be called by a press. */
  async listen(which: Hears): Promise<void> {
    this.preferred.value = which;
    if (this.support.value?.hearing) return;
    this.hears.value = which;
    this.#chat.live.ask({ t: 'hear', which });
    const opened = which === 'none' ? this.#loudspeaker : (this.#loudspeaker ??= this.#openLoudspeaker());
    (await opened?.catch(() => undefined))?.silence();
  }

  async #openLoudspeaker(): Promise<Loudspeaker> {
    try {
      return await Loudspeaker.open({
        hear: (hearer) => this.#chat.live.hear(hearer),
        levelled: (rms) => (this.heardLevel.value = rms),
      });
    } catch (error) {
      this.hears.value = 'none';
      this.#loudspeaker = undefined;
      this.#chat.notices.show('This browser does not let the page make sound. Please try again.');
      throw error;
    }
  }

  async #closeLoudspeaker(): Promise<void> {
    const opened = this.#loudspeaker;
    this.#loudspeaker = undefined;
    this.hears.value = 'none';
    this.heardLevel.value = 0;
    this.#chat.live.ask({ t: 'hear', which: 'none' });
    await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  #callChanged(call: string | null): void {
    untracked(() => {
      const before = this.#speaker;
      this.#speaker = call?.split(' ', 1)[0];
      // The microphone does not go along to whomever the page acts as next.
      if (before !== undefined && before !== this.#speaker) {
        this.#ended += 1;
        this.microphoneFault.value = null;
        if (this.microphone.value === 'on') void this.closeMicrophone();
      }
      if (call !== null) void this.#loudspeaker?.then((opened) => opened.silence()).catch(() => undefined);
      else if (this.#loudspeaker) void this.#closeLoudspeaker();
    });
  }

  /** What nobody hears is not sent. */
  #muteChanged(own: PageVoiceState | null): void {
    if (this.#opened) this.#opened.isMuted = own ? own.self_mute || own.mute || own.suppressed : true;
  }

  #lostMicrophone(): void {
    void this.closeMicrophone();
    this.microphoneFault.value = 'The microphone is gone. Connect it again, then press "Use microphone".';
  }

  async #act(guildId: string | null | undefined, path: string, body: unknown): Promise<boolean> {
    return guildId ? this.#chat.try(this.#chat.act(guildId, path, body)) : false;
  }
}
