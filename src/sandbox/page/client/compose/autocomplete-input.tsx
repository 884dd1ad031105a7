import { useRef, useState } from 'preact/hooks';
import { FieldPopover } from './field-popover.tsx';
import { Suggestions, moved, optionId } from './suggestions.tsx';
import { type OptionPlace, type Suggested, useSuggested } from './use-suggested.ts';

/** A text field for which the bot makes suggestions. */
export function AutocompleteInput({ draft, option, channelId }: OptionPlace) {
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
    if (!isOpen && event.key === 'ArrowDown') setIsOpen(true);
    else if (isOpen && event.key === 'Escape') setIsOpen(false);
    else if (!isShown || event.isComposing) return;
    else if (next !== undefined) setActive(next);
    // Tab and Enter choose a suggestion only if the suggestions are for the current text.
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
        <FieldPopover field={field}>
          <SuggestionList id={listId} name={name} suggested={suggested} active={active} onTaken={take} />
        </FieldPopover>
      )}
    </div>
  );
}

interface SuggestionListProps {
  readonly id: string;
  readonly name: string;
  readonly suggested: Suggested;
  readonly active: number;
  readonly onTaken: (index: number) => void;
}

function SuggestionList({ id, name, suggested: { came, failed }, active, onTaken }: SuggestionListProps) {
  if (came && came.length > 0) {
    const suggestions = came.map((entry) => ({ key: String(entry.value), title: entry.name }));
    const label = `Suggestions for ${name}`;
    return <Suggestions id={id} label={label} suggestions={suggestions} active={active} onTaken={onTaken} />;
  }
  const waiting = came ? 'Nothing fits that' : 'Loading suggestions ...';
  return (
    <output class="suggestions suggestions-word quiet">
      {failed ? 'Loading suggestions failed' : waiting}
    </output>
  );
}
