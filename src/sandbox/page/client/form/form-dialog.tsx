import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageForm, PageUse } from '../../use-views.ts';
import { useChat } from '../store/use-chat.ts';
import { Icon } from '../parts/icon.tsx';
import { useModal } from '../parts/use-modal.ts';
import { FormDraft } from './form-draft.ts';
import { FormField } from './form-field.tsx';

interface FormDialogProps {
  readonly use: PageUse;
  readonly form: PageForm;
}

/** A form that the bot opened. */
export function FormDialog({ use, form }: FormDialogProps) {
  const chat = useChat();
  const place = useModal();
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setIsSending] = useState(false);
  const guild = chat.guilds.value.find(({ channels }) => channels.some(({ id }) => id === use.channel_id));
  const sizeBytesMax = guild?.file_size_max ?? 0;
  const draft = useMemo(() => new FormDraft(form, sizeBytesMax), [form, sizeBytesMax]);
  useEffect(() => () => draft.clear(), [draft]);
  const submit = async (): Promise<void> => {
    if (draft.problem !== null || !guild) return setProblem(draft.problem);
    setIsSending(true);
    try {
      await chat.act(guild.id, 'submits', { use_id: use.id, values: draft.values });
      chat.uses.closeForm(use.id);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'That did not work. Please try again.');
      setIsSending(false);
    }
  };
  return (
    <dialog
      ref={place}
      class="form-dialog"
      aria-label={form.title}
      onClose={() => chat.uses.closeForm(use.id)}
    >
      <header>
        <h2>{form.title}</h2>
        <button type="button" class="icon" aria-label="Close" onClick={() => place.current?.close()}>
          <Icon name="cross" />
        </button>
      </header>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {form.components.map((component, index) => (
          <FormField key={index} component={component} draft={draft} />
        ))}
        <output class="failed small">{problem}</output>
        <footer>
          <button type="button" onClick={() => place.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isSending}>
            Submit
          </button>
        </footer>
      </form>
    </dialog>
  );
}
