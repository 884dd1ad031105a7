import { useWireBook } from './use-wire-book.ts';
import { SOURCES, SOURCE_NAMES } from './wire-sources.ts';

/** Which kinds of traffic are shown. */
export function WireFilter() {
  const book = useWireBook();
  return (
    <div class="wire-filter" role="group" aria-label="Kinds of traffic shown">
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
    </div>
  );
}
