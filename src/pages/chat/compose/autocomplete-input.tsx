import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageCommandOption } from '../../../sandbox/page/use-views.ts';
import type { PageSuggestion } from '../../../sandbox/page/page-wire.ts';
import { useChat } from '../store/use-chat.ts';
import { Beside } from './beside.tsx';
import type { CommandDraft } from './command-draft.ts';
import { Suggestions, moved, optionId } from './suggestions.tsx';

const WAIT_MS = 150;

interface AutocompleteProps {
  readonly draft: CommandDraft;
  readonly option: PageCommandOption;
  readonly channelId: string;
}

/** A text for which the bot makes suggestions. */
export function AutocompleteInput({ draft, option, channelId }: AutocompleteProps) {
  const { name, required } = option;
  const field = useRef<HTMLInputElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(0);
  const typed = draft.texts.value[name] ?? '';
  const suggested = useSuggested({ draft, option, channelId }, isOpen ? typed : null);
  const { came: suggestions = [], isFor } = suggested;
  const id = `option-${name}`;
  const listId = `${id}-list`;
  const isShown = isOpen && suggestions.length > 0;
  const take = (index: number): void => {
    const taken = suggestions[index];
    if (taken) draft.set(name, taken.name, taken.value);
    setIsOpen(false);
  };
  const obey = (event: KeyboardEvent): void => {
    const next = moved(event.key, active, suggestions.length);
    if (!isShown && event.key === 'ArrowDown') setIsOpen(true);
    else if (!isShown || event.isComposing) return;
    else if (next !== undefined) setActive(next);
    else if (event.key === 'Escape') setIsOpen(false);
    // What is listed for other words is not what was meant.
    else if (event.key === 'Tab' && isFor === typed) return take(active);
    else if (event.key !== 'Enter') return;
    else if (isFor === typed) take(active);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="autocomplete">
      <input
        ref={field}
        id={id}
        type="text"
        role="combobox"
        aria-describedby={`${id}-about`}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-activedescendant={isShown ? optionId(listId, active) : undefined}
        autocomplete="off"
        required={required}
        value={typed}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onInput={({ currentTarget }) => {
          draft.set(name, currentTarget.value);
          setIsOpen(true);
          setActive(0);
        }}
        onKeyDown={obey}
      />
      {isOpen && (
        <Beside field={field}>
          {isShown ? (
            <Suggestions
              id={listId}
              label={`Suggestions for ${name}`}
              suggestions={suggestions.map((entry) => ({ key: String(entry.value), title: entry.name }))}
              active={active}
              onTaken={take}
            />
          ) : (
            <output class="suggestions suggestions-word quiet">{wordFor(suggested)}</output>
          )}
        </Beside>
      )}
    </div>
  );
}

interface Suggested {
  /** Undefined until the bot answered for the first time. */
  readonly came?: readonly PageSuggestion[];
  /** For what was typed they are. */
  readonly isFor?: string;
  readonly failed?: boolean;
}

function wordFor({ came, failed }: Suggested): string {
  if (failed) return 'Loading suggestions failed';
  return came ? 'Nothing fits that' : 'Loading suggestions ...';
}

/** What the bot suggests for what was typed, a moment after the last key; null: nothing is asked. */
function useSuggested({ draft, option, channelId }: AutocompleteProps, typed: string | null): Suggested {
  const chat = useChat();
  const [suggested, setSuggested] = useState<Suggested>({});
  const guildId = chat.guild.value?.id;
  useEffect(() => {
    if (typed === null || guildId === undefined) return undefined;
    let isCurrent = true;
    const isNumber = option.type === 4 || option.type === 10;
    const { [option.name]: _own, ...options } = draft.options;
    const body = {
      command: `/${draft.line.path}`,
      in: channelId,
      option: option.name,
      typed: isNumber ? Number(typed) || 0 : typed,
      options,
    };
    const timer = setTimeout(() => {
      void chat
        .act<readonly PageSuggestion[]>(guildId, 'completes', body)
        .then((came) => isCurrent && setSuggested({ came, isFor: typed }))
        .catch(() => isCurrent && setSuggested({ failed: true }));
    }, WAIT_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [typed, guildId, channelId, draft, option]);
  return suggested;
}
