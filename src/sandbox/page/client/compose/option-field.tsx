import type { PageCommandOption } from '../../use-views.ts';
import { ChoiceMenu } from '../menu/choice-menu.tsx';
import { choicesOf } from '../menu/choices-of.ts';
import { useChat } from '../store/use-chat.ts';
import { Icon } from '../parts/icon.tsx';
import { AutocompleteInput } from './autocomplete-input.tsx';
import type { CommandDraft } from './command-draft.ts';
import { FilePicker } from './file-picker.tsx';

interface OptionFieldProps {
  readonly draft: CommandDraft;
  readonly option: PageCommandOption;
  readonly channelId: string;
}

/** The field for one option in a command's form. */
export function OptionField({ draft, option, channelId }: OptionFieldProps) {
  const id = `option-${option.name}`;
  return (
    <div class="option">
      <div class="option-words">
        <label for={id}>
          {option.name}
          {option.required && <span class="required"> required</span>}
        </label>
        <span class="small quiet" id={`${id}-about`}>
          {option.description}
        </span>
      </div>
      <OptionControl draft={draft} option={option} channelId={channelId} />
      {!option.required && (
        <button
          type="button"
          class="icon"
          aria-label={`Leave out ${option.name}`}
          onClick={() => draft.shut(option.name)}
        >
          <Icon name="cross" />
        </button>
      )}
    </div>
  );
}

function OptionControl(props: OptionFieldProps) {
  const { draft, option } = props;
  const { name, type, choices } = option;
  const id = `option-${name}`;
  const files = draft.filesOf(name);
  if (files) return <FilePicker picks={files} label={name} id={id} />;
  if (choices.length > 0) {
    const chosen = draft.texts.value[name] ?? '';
    return (
      <ChoiceMenu
        id={id}
        label={`Choose ${name}`}
        choices={choices.map((choice) => ({ label: choice.name, value: String(choice.value) }))}
        chosen={[chosen]}
        min={option.required ? 1 : 0}
        onChosen={([text = '']) => {
          draft.set(name, text, choices.find(({ value }) => String(value) === text)?.value);
        }}
      />
    );
  }
  if (type >= 5 && type <= 9) return <ReferenceControl {...props} />;
  if (option.autocomplete) return <AutocompleteInput {...props} />;
  return <TextControl {...props} />;
}

/** By option type: the type of the select component that offers the same choices. */
const SELECT_TYPES: Readonly<Record<number, number>> = { 6: 5, 7: 8, 8: 6, 9: 7 };
const YES_NO = [
  { label: 'Yes', value: 'true' },
  { label: 'No', value: 'false' },
];

function ReferenceControl({ draft, option }: OptionFieldProps) {
  const chat = useChat();
  const { name, type, channel_types, required } = option;
  const select = SELECT_TYPES[type];
  const choices =
    select === undefined ? YES_NO : choicesOf({ type: select, channel_types }, chat.guild.value);
  return (
    <ChoiceMenu
      id={`option-${name}`}
      label={`Choose ${name}`}
      choices={choices}
      chosen={[draft.texts.value[name] ?? '']}
      min={required ? 1 : 0}
      onChosen={([text = '']) => draft.set(name, text)}
    />
  );
}

function TextControl({ draft, option }: OptionFieldProps) {
  const { name, type, required } = option;
  const isNumber = type === 4 || type === 10;
  return (
    <input
      id={`option-${name}`}
      aria-describedby={`option-${name}-about`}
      value={draft.texts.value[name] ?? ''}
      required={required}
      autocomplete="off"
      {...(isNumber
        ? {
            type: 'number',
            step: type === 4 ? 1 : 'any',
            ...(option.min_value === null ? {} : { min: option.min_value }),
            ...(option.max_value === null ? {} : { max: option.max_value }),
          }
        : {
            type: 'text',
            ...(option.min_length === null ? {} : { minLength: option.min_length }),
            ...(option.max_length === null ? {} : { maxLength: option.max_length }),
          })}
      onInput={({ currentTarget }) => draft.set(name, currentTarget.value)}
    />
  );
}
