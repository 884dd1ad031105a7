import { useState } from 'preact/hooks';
import type { PageComponent, PageMessage } from '../../message-views.ts';
import { ChoiceMenu } from '../menu/choice-menu.tsx';
import { choicesOf, chosenAtFirst } from '../menu/choices-of.ts';
import { useChat } from '../store/use-chat.ts';

interface SelectProps {
  readonly component: PageComponent;
  readonly message: PageMessage;
}

/** A select menu in a message. The member's choice is sent to the bot at once. */
export function ComponentSelect({ component, message }: SelectProps) {
  const chat = useChat();
  const [chosen, setChosen] = useState(() => chosenAtFirst(component));
  const { custom_id: menu, placeholder, min_values: min = 1, max_values: max = 1, disabled } = component;
  return (
    <ChoiceMenu
      label={placeholder ?? 'Make a selection'}
      choices={choicesOf(component, chat.guild.value)}
      chosen={chosen}
      min={min}
      max={max}
      disabled={disabled === true || message.guild_id === null}
      onChosen={(values) => {
        if (message.guild_id === null) return;
        setChosen(values);
        const body = { menu, values, channel_id: message.channel_id, message_id: message.id };
        void chat.try(chat.act(message.guild_id, 'selects', body));
      }}
    />
  );
}
