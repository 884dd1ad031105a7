import { useEffect, useState } from 'preact/hooks';
import type { PageCommand } from '../../../sandbox/page/use-views.ts';
import { read } from '../live/control.ts';
import { useChat } from './use-chat.ts';

const NONE: readonly PageCommand[] = [];

/** The commands that the member may use in a channel, asked for anew whenever the channel changes; null: none. */
export function useCommands(channelId: string | null): readonly PageCommand[] {
  const chat = useChat();
  const [commands, setCommands] = useState(NONE);
  const userId = chat.me.value?.id;
  useEffect(() => {
    let isCurrent = true;
    if (channelId === null || userId === undefined) {
      setCommands(NONE);
      return undefined;
    }
    void read<readonly PageCommand[]>(`/users/${userId}/channels/${channelId}/commands`)
      .then((came) => isCurrent && setCommands(came))
      .catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [channelId, userId]);
  return commands;
}
