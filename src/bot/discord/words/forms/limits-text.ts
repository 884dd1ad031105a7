import type { FormParameter, JobForm } from './job-form.ts';

const COUNT = new Intl.NumberFormat('en-US');

/**
 * Returns the limits of a form's options, such as "`script` up to 5,000 characters; `resolution` 480, 720 or 1080".
 */
export function limitsText(form: JobForm): string {
  return form.parameters.map(limitText).join('; ');
}

function limitText(parameter: FormParameter): string {
  const option = `\`${parameter.option}\``;
  switch (parameter.type) {
    case 'choice':
      return `${option} ${oneOf(parameter.choices.map(String))}`;
    case 'text':
      return `${option} up to ${COUNT.format(parameter.lengthMax)} characters`;
    case 'voice':
      return `${option} from \`/voices\``;
    case 'language':
      return `${option} such as en`;
  }
}

function oneOf(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
