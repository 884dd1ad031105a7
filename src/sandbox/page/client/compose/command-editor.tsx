import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageChannel } from '../../page-views.ts';
import type { PageCommandOption } from '../../use-views.ts';
import type { PageUseStarted } from '../../page-wire.ts';
import { useChat } from '../store/use-chat.ts';
import { Icon } from '../parts/icon.tsx';
import type { CommandDraft } from './command-draft.ts';
import type { CommandLine } from './command-line.ts';
import { takePasted } from './file-picker.tsx';
import { OptionField } from './option-field.tsx';
import { useDroppedFiles } from './use-dropped-files.ts';

interface CommandEditorProps {
  readonly draft: CommandDraft;
  readonly channel: PageChannel;
  readonly onDone: () => void;
}

/** The form for a command: its required fields, its optional fields, and the button that sends it. */
export function CommandEditor({ draft, channel, onDone }: CommandEditorProps) {
  const chat = useChat();
  const form = useRef<HTMLFormElement>(null);
  const [isSending, setIsSending] = useState(false);
  const { line } = draft;
  useDroppedFiles(true, (files) => draft.emptyFile?.add(files));
  const shown = draft.opened.value.flatMap(
    (name) => line.options.find((option) => option.name === name) ?? [],
  );
  const hidden = line.options.filter((option) => !shown.includes(option));
  useFollowingFocus(form, draft.opened.value);
  const send = async (): Promise<void> => {
    if (channel.guild_id === null || draft.problem !== null || isSending) return;
    setIsSending(true);
    const body = { command: `/${line.path}`, in: channel.id, options: draft.options };
    const isSent = await chat.try(chat.act<PageUseStarted>(channel.guild_id, 'runs', body));
    setIsSending(false);
    if (isSent) onDone();
  };
  return (
    // Escape in any of the fields closes the command.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      ref={form}
      class="command-editor"
      aria-label={`/${line.path}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onPaste={(event) => {
        const empty = draft.emptyFile;
        if (empty) takePasted(event, empty);
      }}
      onKeyDown={(event) => {
        // If a dialog is open over the form, Escape closes the dialog first.
        const isOver = event.target instanceof Element && event.target.closest('dialog') !== null;
        if (event.key === 'Escape' && !isOver && !event.defaultPrevented) onDone();
      }}
    >
      <EditorHead line={line} onDone={onDone} />
      <div class="options">
        {shown.map((option) => (
          <OptionField key={option.name} draft={draft} option={option} channelId={channel.id} />
        ))}
      </div>
      <EditorFoot draft={draft} hidden={hidden} isSending={isSending} />
      <output class="small quiet">{draft.problem ?? ''}</output>
    </form>
  );
}

/**
 * Moves focus to the first field, then to each field that is added, and to the buttons for more options when a
 * field is removed.
 */
function useFollowingFocus(
  form: { readonly current: HTMLFormElement | null },
  opened: readonly string[],
): void {
  const before = useRef<number | null>(null);
  useEffect(() => {
    const isFewer = opened.length < (before.current ?? 0);
    const place = before.current === null ? '.option' : isFewer ? '.more-options' : '.option:last-child';
    before.current = opened.length;
    const control = form.current?.querySelector<HTMLElement>(`${place} :is(input:not([hidden]), button)`);
    (control ?? form.current?.querySelector<HTMLElement>('.send'))?.focus();
  }, [form, opened]);
}

interface EditorHeadProps extends Pick<CommandEditorProps, 'onDone'> {
  readonly line: CommandLine;
}

function EditorHead({ line, onDone }: EditorHeadProps) {
  return (
    <header>
      <p>
        <strong>/{line.path}</strong> <span class="small quiet">{line.description}</span>
      </p>
      <button type="button" class="icon" aria-label={`Leave /${line.path}`} onClick={onDone}>
        <Icon name="cross" />
      </button>
    </header>
  );
}

interface EditorFootProps {
  readonly draft: CommandDraft;
  readonly hidden: readonly PageCommandOption[];
  readonly isSending: boolean;
}

function EditorFoot({ draft, hidden, isSending }: EditorFootProps) {
  return (
    <footer>
      <div class="more-options">
        {hidden.map((option) => (
          <button
            key={option.name}
            type="button"
            title={option.description}
            aria-label={`Add ${option.name}: ${option.description}`}
            onClick={() => draft.open(option.name)}
          >
            + {option.name}
          </button>
        ))}
      </div>
      <button
        type="submit"
        class="primary send"
        disabled={isSending}
        aria-disabled={draft.problem !== null}
        title={draft.problem ?? undefined}
      >
        <Icon name="send" />
        {isSending ? 'Sending ...' : 'Send'}
      </button>
    </footer>
  );
}
