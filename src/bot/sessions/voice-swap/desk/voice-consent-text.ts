/** The text that members agree to before their speech is converted. Each change of the text needs a new `version`. */
export interface VoiceConsentText {
  readonly version: string;
  readonly text: string;
}

/** Returns the text for a service with the given host, such as `media.example.org`. */
export function voiceConsentText(service: string): VoiceConsentText {
  return {
    version: `voice-1 ${service}`,
    text: [
      `While you are in it, what you say in the voice channel is sent live to the paid media service at **${service}**, which changes your voice; the bot plays the result into the channel.`,
      '- **Recorded**: nothing, neither by this bot nor in this chat.',
      '- **Heard by**: everybody in the channel. They hear your own voice too, unless they mute you for themselves.',
      "- **Cost**: each second while you are connected, out of this server's budget.",
      '- **Ending it**: leave the voice channel, press **Leave**, or use `/voice leave`: you are not listened to from that moment on. Moderators can end it too.',
      'What is kept is that you agreed, when, and where; see `/privacy see`.',
    ].join('\n'),
  };
}
