import { useChat } from '../store/use-chat.ts';

/**
 * The commands and forms to which the bot has not responded yet, or did not respond in time. Only the member sees them.
 */
export function PendingUses({ channelId }: { readonly channelId: string }) {
  const chat = useChat();
  const here = chat.uses.known.value.filter(
    (use) => use.channel_id === channelId && use.kind !== 'component' && use.state !== 'replied',
  );
  const failed = here.filter(({ state }) => state === 'failed');
  const waiting = here.filter(({ state }) => state === 'waiting');
  return (
    <ul class="pending" aria-live="polite">
      {failed.map((use) => (
        <li key={use.id}>
          <p class="small quiet">{use.command === null ? 'Your form' : `/${use.command}`}</p>
          <p class="failed">The application did not respond</p>
          <p class="only-you small quiet">
            Only you can see this ·
            <button type="button" onClick={() => chat.uses.forget(use.id)}>
              Dismiss message
            </button>
          </p>
        </li>
      ))}
      {waiting.map((use) => (
        <li key={use.id} class="quiet">
          {use.command === null ? 'Sending the form ...' : `Sending /${use.command} ...`}
        </li>
      ))}
    </ul>
  );
}
