import type { CommandServices } from '../bot/discord/command.ts';
import type { BotParts } from './build-parts.ts';

/** Selects the parts that commands may use. */
export function commandServices({ jobs, money, people, operator, sessions }: BotParts): CommandServices {
  const { access, members } = people;
  return {
    intake: jobs.intake,
    desk: jobs.desk,
    picks: jobs.picks,
    results: jobs.results,
    voices: jobs.voices,
    fileLimits: jobs.fileLimits,
    budget: money.budget,
    budgets: money.budgets,
    spending: money.reports,
    overruns: money.overruns,
    charts: money.charts,
    access,
    faces: members.faces,
    consents: members.consents,
    privacy: members.privacy,
    voice: sessions.voice,
    liveSwap: sessions.liveSwap,
    operator: operator.desk,
  };
}
