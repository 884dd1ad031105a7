import { ApplicationCommandType } from 'discord.js';
import { IN_SERVERS_ONLY, type MenuCommand } from '../../src/bot/discord/command.ts';
import { say } from './pick-replies.ts';
import { startPick } from './start-pick.ts';

/**
 * The entry "Use avatar in a swap" in a member's context menu. Members can use it on themselves, and on members who
 * allow the use of their avatar.
 */
export const useAvatar: MenuCommand = {
  data: { type: ApplicationCommandType.User, name: 'Use avatar in a swap', ...IN_SERVERS_ONLY },
  answer: 'private',

  async execute({ origin, target }, services) {
    if (target.kind !== 'user') throw new TypeError('Cannot use an avatar: the target is a message');
    const { id, isBot, avatarUrl } = target;
    const isOwn = id === origin.userId;
    // Nobody can consent for a bot, and its picture may show a person who does not know of this use.
    if (isBot) return say("A bot's picture cannot be used: there is nobody who could allow it.");
    if (avatarUrl === null) return say(isOwn ? OWN_MISSING : `<@${id}> shows no picture that could be used.`);
    if (!(await services.consents.mayUseAvatar(origin.guildId, id, origin.userId))) {
      return say(isOwn ? OWN_NEVER : notAllowed(id));
    }
    const of = { kind: 'avatar', userId: id } as const;
    const source = { from: 'chat', url: avatarUrl, sizeBytes: null, of } as const;
    return startPick(origin, [{ kind: 'image', name: 'avatar.png', source }], services);
  },
};

const OWN_NEVER = 'You chose that your face is never swapped. To change that, use `/privacy never-swap`.';

function notAllowed(ownerId: string): string {
  return `<@${ownerId}> has not allowed others here to use their picture. They can do so with \`/face avatar\`, and take it back at any time.`;
}

const OWN_MISSING =
  'You show no picture. Choose one in your Discord profile, or attach a picture to a command.';
