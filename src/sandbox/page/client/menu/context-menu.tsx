import { type Anchor, Float } from './float.tsx';

/** One entry of a context menu. */
export interface MenuEntry {
  readonly label: string;
  readonly isDangerous?: boolean;
  readonly act: () => void;
}

interface ContextMenuProps {
  readonly label: string;
  readonly anchor: Anchor;
  readonly entries: readonly MenuEntry[];
  /** The bots' commands, listed after the page's own entries. */
  readonly commands: readonly MenuEntry[];
  /** Whether more commands are still being loaded. */
  readonly isLoading?: boolean;
  readonly onClose: () => void;
  /** Called when an entry is chosen. */
  readonly onChosen?: () => void;
}

/** A menu of actions for a message or a member. */
export function ContextMenu(props: ContextMenuProps) {
  const { label, anchor, entries, commands, isLoading = false, onClose, onChosen } = props;
  const button = (entry: MenuEntry) => (
    <button
      key={entry.label}
      type="button"
      class={entry.isDangerous ? 'choice dangerous' : 'choice'}
      onClick={() => {
        onClose();
        entry.act();
        onChosen?.();
      }}
    >
      {entry.label}
    </button>
  );
  return (
    <Float anchor={anchor} label={label} onClose={onClose}>
      <div class="choices">
        {entries.map(button)}
        {commands.length > 0 && <p class="menu-part">Apps</p>}
        {commands.map(button)}
        {entries.length + commands.length === 0 && (
          <p class="quiet">{isLoading ? 'Looking for commands ...' : 'There is nothing to do here.'}</p>
        )}
      </div>
    </Float>
  );
}
