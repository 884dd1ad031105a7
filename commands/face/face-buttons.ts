import type { Component } from '../../src/bot/discord/command.ts';
import { quotedText } from '../../src/bot/discord/words/plain-text.ts';
import { doneReply } from '../../src/bot/discord/words/replies/replies.ts';

/**
 * The actions of the buttons below the question "May you use this face?". In a button's custom id, the action is
 * followed by the face's id.
 */
export const FACE_ACTIONS = { keep: 'face-keep', drop: 'face-drop' } as const;

/** Pressing the "I may use this face" button fetches, checks and keeps the picture. Nothing is fetched before that. */
export const keepFace: Component = {
  action: FACE_ACTIONS.keep,
  answer: 'update',
  async execute({ origin, args: [faceId = ''] }, { faces }) {
    const { name, isDefault } = await faces.attest(origin.userId, faceId);
    const use = isDefault
      ? 'It is used whenever you name no other face.'
      : 'Choose it where a command asks for a face.';
    return doneReply('Face saved', `**${quotedText(name, 32)}** is saved for you alone. ${use}`);
  },
};

/** The "Cancel" button deletes the picture's URL. The picture itself has not been fetched yet. */
export const dropFace: Component = {
  action: FACE_ACTIONS.drop,
  answer: 'update',
  async execute({ origin, args: [faceId = ''] }, { faces }) {
    await faces.discard(origin.userId, faceId);
    return doneReply('Not saved', 'The picture was not looked at, and nothing is kept.');
  },
};
