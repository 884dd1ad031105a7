import { useState } from 'preact/hooks';
import type { PageEmoji } from '../../message-views.ts';
import { Icon } from '../parts/icon.tsx';
import { type Anchor, Float, anchorOf } from './float.tsx';

/** One choice of a select. */
export interface Choice {
  readonly label: string;
  readonly value: string;
  readonly description?: string | null | undefined;
  readonly emoji?: PageEmoji | null | undefined;
}

interface ChoiceMenuProps {
  /** The button's id, to which a label may refer. The element `<id>-about` describes the button. */
  readonly id?: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly disabled?: boolean;
  readonly onChosen: (values: readonly string[]) => void;
}

/**
 * A select: a button that shows the current choice and opens a list, in which the member chooses one or more entries.
 */
export function ChoiceMenu(props: ChoiceMenuProps) {
  const { id, label, choices, chosen, disabled = false } = props;
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const shown = choices.filter(({ value }) => chosen.includes(value)).map((choice) => choice.label);
  const text = shown.length > 0 ? shown.join(', ') : label;
  return (
    <div class="choice-menu">
      <button
        type="button"
        {...(id === undefined ? {} : { id, 'aria-describedby': `${id}-about` })}
        class="choice-button"
        aria-haspopup="true"
        aria-expanded={anchor !== null}
        aria-label={shown.length > 0 ? `${text}: ${label}` : label}
        disabled={disabled}
        onClick={({ currentTarget }) => setAnchor(anchor ? null : anchorOf(currentTarget))}
      >
        <span class={shown.length > 0 ? 'choice-text' : 'choice-text quiet'}>{text}</span>
        <Icon name="down" />
      </button>
      {anchor && <Choices {...props} anchor={anchor} onClose={() => setAnchor(null)} />}
    </div>
  );
}

interface ChoicesProps extends ChoiceMenuProps {
  readonly anchor: Anchor;
  readonly onClose: () => void;
}

function Choices({ label, choices, chosen, min = 1, max = 1, anchor, onChosen, onClose }: ChoicesProps) {
  const [taken, setTaken] = useState(chosen);
  const done = (values: readonly string[]): void => {
    onClose();
    onChosen(values);
  };
  const take = (value: string): void => {
    if (max === 1) return done(taken.includes(value) && min === 0 ? [] : [value]);
    const isTaken = taken.includes(value);
    setTaken(isTaken ? taken.filter((other) => other !== value) : [...taken, value].slice(-max));
  };
  return (
    <Float anchor={anchor} label={label} onClose={onClose}>
      <div class="choices">
        {choices.length === 0 && <p class="quiet">There is nothing to choose.</p>}
        {choices.map((choice) => (
          <button
            key={choice.value}
            type="button"
            class="choice"
            aria-pressed={taken.includes(choice.value)}
            onClick={() => take(choice.value)}
          >
            {choice.emoji?.name && <span aria-hidden="true">{choice.emoji.name}</span>}
            <span class="choice-words">
              <span>{choice.label}</span>
              {choice.description && <span class="small quiet">{choice.description}</span>}
            </span>
          </button>
        ))}
      </div>
      {max > 1 && (
        <button type="button" class="primary" disabled={taken.length < min} onClick={() => done(taken)}>
          Done
        </button>
      )}
    </Float>
  );
}
