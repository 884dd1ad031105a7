import type { CommandCall, CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { COUNTS_FROM_BEFORE } from '../../src/bot/discord/words/texts.ts';
import { doneReply } from '../../src/bot/discord/words/replies/replies.ts';

/** `/privacy see` lists the data that is stored about a member, in plain words. */
export async function privacySee(
  { origin }: CommandCall,
  { privacy }: CommandServices,
): Promise<CommandResult> {
  const stored = await privacy.see(origin.userId);
  const since = stored.firstJobAtMs === null ? '' : `, since ${day(stored.firstJobAtMs)}`;
  const lines = [
    `- **Commands**: ${stored.jobs} in all servers${since}; ${stored.openJobs} of them still running. Of each: who, where and when, what it cost, and the message with its result.`,
    `- **Kept results**: ${stored.keptResults}, each for ${stored.resultKeepDays} days. Your own files are kept only as long as they may be needed for another try.`,
    `- **Saved faces**: ${stored.faces}.`,
    stored.avatarServers === 0
      ? '- **Your avatar**: you have not allowed anybody to use it.'
      : `- **Your avatar**: others may use it in ${stored.avatarServers} ${stored.avatarServers === 1 ? 'server' : 'servers'}. You can change that with \`/face avatar\`.`,
    stored.voiceServers === 0
      ? '- **Your speech**: you have not agreed anywhere that it is converted.'
      : `- **Your speech**: you agreed in ${stored.voiceServers} ${stored.voiceServers === 1 ? 'server' : 'servers'} that it is converted while you are in \`/voice\`: where, when, and until when. What you say is not stored.`,
    stored.liveServers === 0
      ? '- **Your camera**: you have not agreed anywhere that its picture is changed.'
      : `- **Your camera**: you agreed in ${stored.liveServers} ${stored.liveServers === 1 ? 'server' : 'servers'} that its picture is changed while you are \`/live\`: when, and until when. The pictures are not stored.`,
    stored.neverSwapSinceMs === null
      ? '- **Never swap my face**: off.'
      : `- **Never swap my face**: on, since ${day(stored.neverSwapSinceMs)}.`,
    ...(stored.countedServers === 0
      ? []
      : [
          `- **Limits**: ${COUNTS_FROM_BEFORE} That is so in ${stored.countedServers} ${stored.countedServers === 1 ? 'server' : 'servers'}, without your name.`,
        ]),
    ...undeletedLines(stored.undeleted),
    '',
    'The bot cannot delete what was uploaded to the media service. The service keeps it by its own rules.',
    'Get all of it with `/privacy export`, or delete it with `/privacy delete`.',
  ];
  return doneReply('What is stored about you', lines.join('\n'));
}

const LINKS_MAX = 10;

/** Lists messages of deleted results that Discord still shows, and what the member can do about them. */
function undeletedLines(links: readonly string[]): readonly string[] {
  if (links.length === 0) return [];
  const shown = links.slice(0, LINKS_MAX).join(' ');
  const more = links.length > LINKS_MAX ? ` and ${links.length - LINKS_MAX} more` : '';
  return [
    `- **Messages that could not be deleted**: ${links.length}. Discord does not let the bot delete them. It tries again once a day for 30 days. Please ask an admin of the server to delete them: ${shown}${more}`,
  ];
}

function day(atMs: number): string {
  return `<t:${Math.floor(atMs / 1000)}:D>`;
}
