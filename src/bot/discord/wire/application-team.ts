import { type Client, Routes } from 'discord.js';
import { z } from 'zod';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import { DiscordError } from './discord-error.ts';
import { withoutRequest } from './rest-verdict.ts';
import type { OperatorRights, Operators } from '../../people/operator/operators.ts';

const DEADLINE_MS = 5_000;
const ACCEPTED = 2;

const application = z.object({
  owner: z.object({ id: z.string() }),
  team: z
    .object({
      owner_user_id: z.string(),
      members: z.array(
        z.object({ membership_state: z.number(), role: z.string(), user: z.object({ id: z.string() }) }),
      ),
    })
    .nullish(),
});

type Application = z.infer<typeof application>;

/**
 * Finds out from Discord who the operator is: the owner of the application, or the members of its team who accepted the
 * invitation. Team members with read-only access may view the operator's data but not change it.
 */
export class ApplicationTeam implements Operators {
  readonly #client: Client;
  readonly #clock: Clock;
  #asking: Promise<Application> | undefined;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async rightsOf(userId: string): Promise<OperatorRights> {
    const { owner, team } = await this.#application();
    if (!team) return owner.id === userId ? 'change' : 'none';
    if (team.owner_user_id === userId) return 'change';
    const member = team.members.find(({ user }) => user.id === userId);
    if (member?.membership_state !== ACCEPTED) return 'none';
    return member.role === 'admin' || member.role === 'developer' ? 'change' : 'see';
  }

  /** Discord's answer is never cached, so that a member who has been removed from the team loses access immediately. */
  #application(): Promise<Application> {
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)));
  }

  async #ask(): Promise<Application> {
    const { rest } = this.#client;
    const answer = await withDeadline(this.#clock, DEADLINE_MS, (signal) =>
      rest.get(Routes.currentApplication(), { signal }),
    ).catch((error: unknown) => {
      throw withoutRequest(error, 'determine who the operator is');
    });
    const parsed = application.safeParse(answer);
    if (parsed.success) return parsed.data;
    throw new DiscordError(
      'malformed',
      'Cannot determine who the operator is: Discord sent data of an unknown form',
    );
  }
}
