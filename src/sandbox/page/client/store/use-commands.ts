import { useEffect, useState } from 'preact/hooks';
import type { PageCommand } from '../../use-views.ts';
import { read } from '../live/control.ts';
import { useChat } from './use-chat.ts';

/**
 * Returns the commands that the member may use in a channel, and requests them again whenever `channelId` changes. If
 * `channelId` is null, no commands are requested. The result is undefined until the commands are loaded.
 */
export function useCommands(channelId: string | null): readonly PageCommand[] | undefined {
  const chat = useChat();
  const [commands, setCommands] = useState<readonly PageCommand[] | undefined>(undefined);
  const userId = chat.me.value?.id;
  useEffect(() => {
    if (channelId === null || userId === undefined) return undefined;
    let isCurrent = true;
    void read<readonly PageCommand[]>(`/users/${userId}/channels/${channelId}/commands`)
      .then((came) => isCurrent && setCommands(came))
      .catch(() => isCurrent && setCommands([]));
    return () => {
      isCurrent = false;
      setCommands(undefined);
    };
  }, [channelId, userId]);
  return commands;
}
