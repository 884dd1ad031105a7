import type { PageComponent } from '../../message-views.ts';
import { FilePicker } from '../compose/file-picker.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { ChoiceMenu } from '../menu/choice-menu.tsx';
import { choicesOf } from '../menu/choices-of.ts';
import { useChat } from '../store/use-chat.ts';
import type { FormDraft } from './form-draft.ts';

interface FormFieldProps {
  readonly component: PageComponent;
  readonly draft: FormDraft;
}

/** An element of a form: text, or a field with its label. */
export function FormField({ component, draft }: FormFieldProps) {
  if (component.type === 10) return <Markdown text={component.content ?? ''} />;
  if (component.type === 1) {
    return (component.components ?? []).map((inner) => (
      <FormField key={inner.custom_id} component={inner} draft={draft} />
    ));
  }
  const input = component.component ?? component;
  const label = component.label ?? input.label ?? '';
  const isRequired = input.required ?? true;
  return (
    <div class="form-field">
      <label for={`form-${input.custom_id}`}>
        {label}
        {isRequired && <span class="required"> required</span>}
      </label>
      {component !== input && component.description && (
        <span class="small quiet">{component.description}</span>
      )}
      <FormControl component={input} draft={draft} label={label} />
    </div>
  );
}

function FormControl({ component, draft, label }: FormFieldProps & { readonly label: string }) {
  const chat = useChat();
  const { custom_id: name = '', type, required, min_values: min = 1, max_values: max = 1 } = component;
  const files = draft.filesOf(name);
  const id = `form-${name}`;
  if (files) return <FilePicker picks={files} label={label} id={id} />;
  if (type === 4) return <TextField component={component} draft={draft} />;
  return (
    <ChoiceMenu
      id={id}
      label={component.placeholder ?? `Choose ${label}`}
      choices={choicesOf(component, chat.guild.value)}
      chosen={draft.choices.value[name] ?? []}
      min={required === false ? 0 : min}
      max={max}
      onChosen={(values) => draft.choose(name, values)}
    />
  );
}

function TextField({ component, draft }: FormFieldProps) {
  const { custom_id: name = '', style, placeholder, required, min_length: min, max_length: max } = component;
  const shared = {
    id: `form-${name}`,
    value: draft.texts.value[name] ?? '',
    required: required ?? true,
    ...(placeholder ? { placeholder } : {}),
    ...(min ? { minLength: min } : {}),
    ...(max ? { maxLength: max } : {}),
  };
  if (style === 2) {
    return (
      <textarea
        {...shared}
        rows={4}
        onInput={({ currentTarget }) => draft.setText(name, currentTarget.value)}
      />
    );
  }
  return (
    <input
      {...shared}
      type="text"
      onInput={({ currentTarget }) => draft.setText(name, currentTarget.value)}
    />
  );
}
