import type { Component } from '../../src/bot/discord/command.ts';
import { doneReply } from '../../src/bot/discord/words/replies/replies.ts';

/**
 * The actions of the `/privacy` buttons. Only the member sees the buttons, and they act for the member who presses
 * them.
 */
export const PRIVACY_ACTIONS = {
  delete: 'privacy-delete',
  keep: 'privacy-keep',
  clearFaces: 'privacy-clear-faces',
} as const;

/** "Delete everything" deletes all data, or all except the member's request that their face never be swapped. */
export const deleteData: Component = {
  action: PRIVACY_ACTIONS.delete,
  answer: 'update',
  async execute({ origin: { userId }, args: [what] }, { privacy, consents }) {
    const keepNeverSwap = what === 'never-swap';
    if (keepNeverSwap) await consents.setNeverSwap(userId, true);
    await privacy.remove(userId, { keepNeverSwap });
    return doneReply(
      'Your data is being deleted',
      keepNeverSwap
        ? 'None of it is used or shown any more; it is gone in a few minutes. Only your wish that your face is never swapped stays.'
        : 'None of it is used or shown any more; it is gone in a few minutes.',
    );
  },
};

/** "Cancel" keeps the data. */
export const keepData: Component = {
  action: PRIVACY_ACTIONS.keep,
  answer: 'update',
  execute: () => Promise.resolve(doneReply('Nothing deleted', 'Everything stays as it is.')),
};

/** "Delete my saved faces too" is offered after the member has requested that their face never be swapped. */
export const clearFaces: Component = {
  action: PRIVACY_ACTIONS.clearFaces,
  answer: 'update',
  async execute({ origin: { userId } }, { faces }) {
    await faces.clear(userId);
    return doneReply('Your face is never swapped', 'Your saved faces and their pictures are gone.');
  },
};
