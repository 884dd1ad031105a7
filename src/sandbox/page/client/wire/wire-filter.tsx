import { useWireBook } from './use-wire-book.ts';
import { SOURCES, SOURCE_NAMES } from './wire-sources.ts';

/** Buttons that show or hide each kind of traffic. */
export function WireFilter() {
  const book = useWireBook();
  return (
    <fieldset class="wire-filter">
      <legend class="hidden-visually">Kinds of traffic shown</legend>
      {SOURCE_NAMES.map((name) => (
        <button
          key={name}
          type="button"
          class={`wire-kind is-${name}`}
          aria-pressed={!book.hidden.value.includes(name)}
          onClick={() => book.toggle(name)}
        >
          {SOURCES[name]}
        </button>
      ))}
    </fieldset>
  );
}
