import { integer, type OptionTable } from '../../commands/parse/options.ts';
import { commandTable } from '../../commands/parse/table.ts';

const { currency } = commandTable.price.options;

export const alertOptions: OptionTable = {
  once: { summary: 'looks once and ends: 0 if the condition holds, 5 if it does not' },
  every: {
    ...integer(5, 86_400, 'looks no more often than this; else when the price may be a new one'),
    placeholder: 'seconds',
  },
  ...(currency && { currency }),
};
