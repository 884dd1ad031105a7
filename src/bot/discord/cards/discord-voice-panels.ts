import type { Client } from 'discord.js';
import { derivedId } from '../../../base/ids.ts';
import type { OfferedVoices } from '../command.ts';
import { type MessageBody, MessageCalls } from '../wire/message-calls.ts';
import { voicePanel, voiceWarning } from '../words/replies/voice-panel.ts';
import type { RequestGuard } from '../wire/request-guard.ts';
import { judgeRestError, withoutRequest } from '../wire/rest-verdict.ts';
import type { PanelPlace, VoicePanels } from '../../sessions/voice-swap/desk/voice-panels.ts';
import type { VoiceView } from '../../sessions/voice-swap/desk/voice-view.ts';

/** The maximum length of a nonce that Discord accepts. */
const NONCE_LENGTH_MAX = 25;

interface DiscordVoicePanelsOptions {
  readonly client: Client;
  readonly guard?: RequestGuard;
  /** The voices in the menu. */
  readonly voices: OfferedVoices;
}

/** Posts and edits the messages that show voice sessions, without pinging anyone. */
export class DiscordVoicePanels implements VoicePanels {
  readonly #calls: MessageCalls;
  readonly #voices: OfferedVoices;
  #posted = 0;

  constructor({ client, guard, voices }: DiscordVoicePanelsOptions) {
    this.#calls = new MessageCalls(client.rest, guard);
    this.#voices = voices;
  }

  async post(channelId: string, view: VoiceView, signal: AbortSignal): Promise<PanelPlace | null> {
    // A session may post several panels, so each has its own nonce. With it, a request that the REST client repeats
    // posts nothing new.
    this.#posted += 1;
    const nonce = nonceOf(view.sessionId, String(this.#posted));
    const message = { body: this.#panel(view), files: [] };
    const posted = await nullIfRefused('post a voice panel', () =>
      this.#calls.createMessage({ channelId, nonce }, message, signal),
    );
    return posted ? { channelId, messageId: posted.id } : null;
  }

  async edit({ channelId, messageId }: PanelPlace, view: VoiceView, signal: AbortSignal): Promise<boolean> {
    const message = { body: this.#panel(view), files: [] };
    const edited = await nullIfRefused('edit a voice panel', () =>
      this.#calls.editMessage({ channelId, messageId }, message, signal),
    );
    return edited !== null;
  }

  async remove({ channelId, messageId }: PanelPlace, signal: AbortSignal): Promise<void> {
    await nullIfRefused('remove a voice panel', () =>
      this.#calls.deleteMessage(channelId, messageId, signal),
    );
  }

  async warn(channelId: string, view: VoiceView, signal: AbortSignal): Promise<void> {
    const nonce = nonceOf(view.sessionId, `warning ${view.endsAtMs}`);
    const message = { body: voiceWarning(view), files: [] };
    await nullIfRefused('warn of the end of a voice session', () =>
      this.#calls.createMessage({ channelId, nonce }, message, signal),
    );
  }

  #panel(view: VoiceView): MessageBody {
    return voicePanel(view, this.#voices.list ?? []);
  }
}

function nonceOf(...parts: readonly string[]): string {
  return derivedId('v', ...parts).slice(-NONCE_LENGTH_MAX);
}

/** Runs a request; returns null if Discord refuses it permanently. */
async function nullIfRefused<T>(action: string, call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    const { kind } = judgeRestError(error);
    if (kind === 'refused' || kind === 'uneditable') return null;
    throw withoutRequest(error, action);
  }
}
