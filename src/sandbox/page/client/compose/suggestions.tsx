// A <select> cannot list suggestions while a text field keeps focus.
/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-to-interactive-role, jsx-a11y/click-events-have-key-events */
import { useLayoutEffect, useRef } from 'preact/hooks';

/** An entry in a list of suggestions for a text field. */
interface Suggestion {
  readonly key: string;
  readonly title: string;
  readonly description?: string;
  readonly note?: string;
}

interface SuggestionsProps {
  readonly id: string;
  readonly label: string;
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly onTaken: (index: number) => void;
}

/**
 * The list of suggestions for a field. Focus stays in the field, which refers to the active entry by `optionId`.
 */
export function Suggestions({ id, label, suggestions, active, onTaken }: SuggestionsProps) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ul ref={list} id={id} role="listbox" aria-label={label} class="suggestions">
      {suggestions.map((suggestion, index) => (
        <li
          key={suggestion.key}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          class="suggestion"
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTaken(index)}
        >
          <span class="suggestion-words">
            <span class="suggestion-title">{suggestion.title}</span>
            {suggestion.description !== undefined && (
              <span class="small quiet">{suggestion.description}</span>
            )}
          </span>
          {suggestion.note !== undefined && (
            <span class="suggestion-note small quiet">{suggestion.note}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Returns the id of one entry's element, for `aria-activedescendant`. */
export function optionId(id: string, index: number): string {
  return `${id}-${index}`;
}

/** Returns the index of the entry that an arrow key makes active after `active`, or undefined for other keys. */
export function moved(key: string, active: number, count: number): number | undefined {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  return step === undefined || count === 0 ? undefined : (active + step + count) % count;
}
