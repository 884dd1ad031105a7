import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageChannel } from '../../page-views.ts';
import { Icon } from '../parts/icon.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';
import { AttachButtons } from './attach-buttons.tsx';
import type { CommandLine } from './command-line.ts';
import type { FilePicks } from './file-picks.ts';
import { takePasted } from './file-picker.tsx';
import { PickedFiles } from './picked-files.tsx';
import { Suggestions, moved, optionId } from './suggestions.tsx';
import { useDroppedFiles } from './use-dropped-files.ts';
import { type MessageDraft, useMessageDraft } from './use-message-draft.ts';

const LIST = 'command-list';

interface MessageEditorProps {
  readonly channel: PageChannel;
  readonly picks: FilePicks;
  /** Whether the field gets focus when it is shown, for example after a command has been sent. */
  readonly isFocusedAtFirst: boolean;
  readonly onCommand: (line: CommandLine) => void;
}

/** The field in which members write messages. While the text begins with a slash, the matching commands are listed. */
export function MessageEditor({ channel, picks, isFocusedAtFirst, onCommand }: MessageEditorProps) {
  const draft = useMessageDraft(channel, picks);
  const { text, lines, isPicking } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const isNarrow = useIsNarrow();
  const [chosen, setActive] = useState(0);
  const active = Math.min(chosen, (lines?.length ?? 0) - 1);
  const isListed = isPicking && Boolean(lines?.length);
  const isOver = useDroppedFiles(channel.may.attach, (files) => picks.add(files));
  useFitting(field, text);
  useEffect(() => {
    if (isFocusedAtFirst) field.current?.focus();
  }, [isFocusedAtFirst]);
  const take = (index: number): void => {
    const line = lines?.[index];
    if (!line) return;
    draft.setText('');
    onCommand(line);
  };
  return (
    // Files can be pasted anywhere inside the composer.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      class={isOver ? 'composer over' : 'composer'}
      aria-label="Write"
      onPaste={(event) => channel.may.attach && takePasted(event, picks)}
    >
      {isPicking && lines && <CommandList lines={lines} active={active} onTaken={take} typed={text} />}
      {isOver && <p class="drop-word">Drop it to send it in {channel.name}</p>}
      <PickedFiles picks={picks} />
      <div class="compose-line">
        {channel.may.attach && <AttachButtons picks={picks} />}
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label={`Message ${channel.name}`}
          placeholder={isNarrow ? `Message ${channel.name}` : `Message ${channel.name} or type /`}
          maxLength={2000}
          aria-autocomplete="list"
          aria-controls={isListed ? LIST : undefined}
          aria-activedescendant={isListed ? optionId(LIST, active) : undefined}
          onInput={({ currentTarget }) => {
            draft.setText(currentTarget.value);
            setActive(0);
          }}
          onKeyDown={(event) => obeyKey(event, draft, { active, setActive, take })}
        />
        <SendButtons draft={draft} field={field} />
      </div>
    </section>
  );
}

interface Choosing {
  readonly active: number;
  readonly setActive: (index: number) => void;
  readonly take: (index: number) => void;
}

function obeyKey(event: KeyboardEvent, draft: MessageDraft, { active, setActive, take }: Choosing): void {
  const { isPicking, lines } = draft;
  // While an input method composes text, keys choose among its candidates.
  if (event.isComposing) return;
  const isEnter = event.key === 'Enter' && !event.shiftKey;
  const isListed = isPicking && Boolean(lines?.length);
  const next = isListed ? moved(event.key, active, lines?.length ?? 0) : undefined;
  if (next !== undefined) setActive(next);
  else if (isListed && (isEnter || event.key === 'Tab')) take(active);
  else if (isPicking && event.key === 'Escape') draft.setText('');
  else if (isEnter && !(isPicking && !lines)) void draft.send();
  else if (!isEnter) return;
  event.preventDefault();
}

interface SendButtonsProps {
  readonly draft: MessageDraft;
  readonly field: { readonly current: HTMLTextAreaElement | null };
}

function SendButtons({ draft, field }: SendButtonsProps) {
  return (
    <>
      <button
        type="button"
        class="icon"
        aria-label="Commands"
        title="Commands"
        onClick={() => {
          draft.setText('/');
          field.current?.focus();
        }}
      >
        <Icon name="slash" />
      </button>
      <button type="button" class="icon" aria-label="Send message" onClick={() => void draft.send()}>
        <Icon name="send" />
      </button>
    </>
  );
}

interface CommandListProps {
  readonly lines: readonly CommandLine[];
  readonly active: number;
  readonly typed: string;
  readonly onTaken: (index: number) => void;
}

function CommandList({ lines, active, typed, onTaken }: CommandListProps) {
  if (lines.length === 0) {
    return <output class="command-none quiet">There is no command like {typed}</output>;
  }
  return (
    <Suggestions
      id={LIST}
      label="Commands"
      suggestions={lines.map((line) => ({
        key: line.path,
        title: `/${line.path}`,
        description: line.description,
        note: neededText(line),
      }))}
      active={active}
      onTaken={onTaken}
    />
  );
}

function neededText({ options }: CommandLine): string {
  const needed = options.filter(({ required }) => required).map(({ name }) => name);
  return needed.length === 0 ? '' : `needs ${needed.join(', ')}`;
}

/** Resizes the field to fit its text, up to the maximum height that its style sets. */
function useFitting(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight + 2}px`;
  }, [field, text]);
}
