/** Text that members agree to; `version` changes whenever `text` does. */
export interface ConsentText {
  readonly version: string;
  readonly text: string;
}

/** The statement that a member confirms when they save a face. */
export const FACE_ATTESTATION: ConsentText = {
  version: 'face-1',
  text: [
    'Before this face is saved, please make sure that you may use it:',
    '- it is your own face, or its owner has agreed that you use it in AI-altered pictures and videos;',
    '- the owner is of age, and nobody is to be deceived, mocked or hurt with it.',
    'It is kept for you alone, in all servers with this bot, until you delete it with `/face delete` or `/privacy delete`.',
  ].join('\n'),
};

/** The text that a member agrees to when they let others use their avatar. */
export const AVATAR_CONSENT: ConsentText = {
  version: 'avatar-1',
  text: 'Others in this server may use your avatar as a face in AI-altered pictures and videos. You can take that back at any time with `/face avatar`.',
};

/** The meaning of "never swap my face". */
export const NEVER_SWAP: ConsentText = {
  version: 'never-swap-1',
  text: 'Your saved faces rest, nobody may use your avatar, and files from your messages are not taken. This counts in all servers with this bot.',
};

/** Where a saved face may be used: in all servers that the bot is in. */
export const FACE_SCOPE = 'all_servers';
