import { type ReadonlySignal, type Signal, computed, effect, signal, untracked } from '@preact/signals';
import type { PageChannel, PageVoiceState } from '../../page-views.ts';
import type { PageRequest } from '../../page-wire.ts';
import type { Chat } from '../store/chat.ts';
import { remembered } from '../store/remembered.ts';
import { type AudioSupport, audioSupport } from './audio-support.ts';
import { Loudspeaker } from './loudspeaker.ts';
import { Microphone } from './microphone.ts';
import { microphoneRefusal } from './microphone-refusal.ts';

/** The sound that the member hears: members' own voices, bots' speech, both, or none. */
export type Hears = Extract<PageRequest, { t: 'hear' }>['which'];
type MicrophoneStatus = 'off' | 'asking' | 'on';

/** This page's side of the member's call: its microphone and its loudspeaker. */
export class VoiceCall {
  readonly support: Signal<AudioSupport | null> = signal(null);
  readonly microphone: Signal<MicrophoneStatus> = signal('off');
  /** The reason why there is no microphone, as text for the member, or null if there is no problem. */
  readonly microphoneFault: Signal<string | null> = signal(null);
  /**
   * The sound that is currently being played. After a reload, no sound is played until the member turns it on, because
   * browsers let a page play sound only after a press.
   */
  readonly hears: Signal<Hears> = signal('none');
  /** The member's last choice, which is used again at the next join. */
  readonly preferred: Signal<Hears> = remembered('hears', (kept) =>
    kept === 'none' || kept === 'original' || kept === 'converted' ? kept : 'all',
  );
  /** The loudness of the microphone (root mean square, 0 to 1); `heardLevel` is that of the sound being played. */
  readonly microphoneLevel: Signal<number> = signal(0);
  readonly heardLevel: Signal<number> = signal(0);
  /** The member's own state; null while the member is not in a call. */
  readonly own: ReadonlySignal<PageVoiceState | null>;
  readonly #chat: Chat;
  #loudspeaker: Promise<Loudspeaker> | undefined;
  #opened: Microphone | undefined;
  /** The id of the acting user if that user is in a call, otherwise undefined. */
  #speaker: string | undefined;
  /**
   * The number of calls that have ended. Code compares it before and after a wait to find out whether a call ended in
   * the meantime.
   */
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

  /** Joins a channel as the acting member. Must be called while a press is being handled. */
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

  /** Plays a sample as the member's speech. */
  async saySample(name: string): Promise<void> {
    await this.#act(this.#chat.call.value?.guild_id, 'voice/speaks', { sample: name });
  }

  /** Asks for the microphone and starts to send its sound. */
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

  /** Starts to play the call's sound. Must be called while a press is being handled. */
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
      // Closes the microphone when the call has ended or the page acts as another user.
      if (before !== undefined && before !== this.#speaker) {
        this.#ended += 1;
        this.microphoneFault.value = null;
        if (this.microphone.value === 'on') void this.closeMicrophone();
      }
      if (call !== null) void this.#loudspeaker?.then((opened) => opened.silence()).catch(() => undefined);
      else if (this.#loudspeaker) void this.#closeLoudspeaker();
    });
  }

  /** Mutes the microphone while no participant would hear it. */
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
