import type { CommandCall, FormCall } from '../../command.ts';
import type { JobForm } from '../forms/job-form.ts';

/** Turns a submitted form into a call to the slash command for the same job. Empty fields count as omitted. */
export function asCommandCall({ origin, texts, choices, attachments }: FormCall, form: JobForm): CommandCall {
  const values = new Map([...texts].filter(([, text]) => text.trim() !== ''));
  for (const [option, [value]] of choices) if (value !== undefined) values.set(option, value);
  const isNumber = new Set(
    form.parameters
      .filter((parameter) => parameter.type === 'choice' && typeof parameter.choices[0] === 'number')
      .map(({ option }) => option),
  );
  return {
    origin,
    subcommand: null,
    attachments,
    texts: new Map([...values].filter(([option]) => !isNumber.has(option))),
    numbers: new Map(
      [...values]
        .filter(([option]) => isNumber.has(option))
        .map(([option, value]) => [option, Number(value)]),
    ),
    flags: new Map(),
  };
}
