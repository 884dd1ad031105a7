import { type AmountProblem, DOLLARS_MAX } from '../../../../base/read-dollars.ts';
import { formatUsd } from '../../../../base/money.ts';

const PROBLEMS: Readonly<Record<AmountProblem, string>> = {
  not_an_amount: 'does not hold an amount. Write dollars, such as `0.30` or `$5`.',
  comma:
    'holds a comma, which can be read in two ways. Write dollars with a point, such as `1.50` or `1500`.',
  negative: 'is below zero. Write `0` if nothing may be spent.',
  too_fine: 'has more than six decimals. Write dollars, such as `0.30` or `0.000001`.',
  too_large: `is too much. The most is **${formatUsd(DOLLARS_MAX)}**.`,
};

/** Explains what is wrong with the amount in the command option `option`, and how to write it correctly. */
export function amountProblemText(option: string, problem: AmountProblem): string {
  return `Nothing was changed: \`${option}\` ${PROBLEMS[problem]}`;
}
