import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { FaultButtons } from '../faults/fault-buttons.tsx';
import { copyText } from '../live/copy-text.ts';
import { useChat } from '../store/use-chat.ts';
import './wire.css';
import { useWireBook } from './use-wire-book.ts';
import { WireFilter } from './wire-filter.tsx';
import { WireGroupView } from './wire-group-view.tsx';
import { wireText } from './wire-text.ts';

/** The traffic of each action, latest first, and buttons that inject faults. */
export function WirePanel() {
  const chat = useChat();
  const book = useWireBook();
  const { part } = book;
  useEffect(() => book.watch(), [book]);
  const standing = chat.faults.value.filter(({ on }) => on).length;
  return (
    <div class="wire-panel">
      <div class="wire-tabs">
        <button type="button" aria-pressed={part.value === 'wire'} onClick={() => (part.value = 'wire')}>
          Wire
        </button>
        <button type="button" aria-pressed={part.value === 'faults'} onClick={() => (part.value = 'faults')}>
          {standing === 0 ? 'Faults' : `Faults (${standing} on)`}
        </button>
        {part.value === 'wire' && (
          <span class="wire-tools">
            <button
              type="button"
              aria-pressed={book.isHeld.value}
              onClick={() => book.hold(!book.isHeld.value)}
            >
              {book.isHeld.value ? 'Held' : 'Hold'}
            </button>
            <CopyButton />
            <button type="button" onClick={() => void chat.try(book.empty())}>
              Clear
            </button>
          </span>
        )}
      </div>
      <div class="wire-body">{part.value === 'wire' ? <WireList /> : <FaultButtons />}</div>
    </div>
  );
}

function WireList() {
  const book = useWireBook();
  const place = useRef<HTMLDivElement>(null);
  const groups = book.groups.value;
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const heads = [...(place.current?.querySelectorAll('summary') ?? [])];
    const at = heads.findIndex((head) => head === document.activeElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    heads[at + step]?.focus();
  };
  return (
    <>
      <WireFilter />
      {book.missed.value > 0 && (
        <p class="small quiet">
          {book.missed.value} older entries are not shown: there were too many at once.
        </p>
      )}
      {groups.length === 0 && (
        <p class="quiet">
          Nothing yet. Use a command or press a button in the chat: what follows is shown here.
        </p>
      )}
      {/* Arrow keys move from action to action. Each header is a control of its own. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div ref={place} class="wire-groups" onKeyDown={move}>
        {groups.map((group, index) => (
          <WireGroupView key={group.action} group={group} isLatest={index === 0} />
        ))}
      </div>
    </>
  );
}

function CopyButton() {
  const chat = useChat();
  const book = useWireBook();
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    isCopied.value = await chat.try(copyText(wireText(book.groups.value)));
    setTimeout(() => (isCopied.value = false), 2_000);
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {isCopied.value ? 'Copied' : 'Copy'}
      </button>
      <output class="hidden-visually">{isCopied.value ? 'Copied as text' : ''}</output>
    </>
  );
}
