import type { Coin } from '../../commands/coins.ts';
import { coinTitle } from '../../commands/format/coin.ts';
import { clean, plainText } from '../../commands/format/text.ts';
import type { FailureResult } from '../../commands/result.ts';
import { MAX_COMPARED } from '../dashboard.ts';
import { button, element } from '../dom.ts';

export interface CompareEvents {
  readonly find: (symbol: string) => Promise<Coin | FailureResult>;
  /** The coin was found by `asked`, its symbol or id. */
  readonly onAdd: (coin: Coin, asked: string) => void;
  readonly onRemove: (coin: Coin) => void;
}

export interface CompareField {
  readonly element: HTMLElement;
  update(own: Coin, compared: readonly Coin[]): void;
}

/** Adds coins to a card by their symbol, and takes them away; what is wrong is told below the field. */
export function createCompareField(name: string, { find, onAdd, onRemove }: CompareEvents): CompareField {
  const problem = element('p', { class: 'problem', role: 'alert', id: `compare-problem-${++fields}` });
  const field = element('input', {
    type: 'text',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    placeholder: 'ETH',
    'aria-label': `Compare ${name} with`,
    'aria-describedby': problem.id,
  });
  const add = element('button', { type: 'submit' }, 'Compare');
  const list = element('ul', { class: 'compared-coins', 'aria-label': `Compared with ${name}` });
  const form = element('form', { class: 'compare' }, field, add);
  let taken: readonly Coin[] = [];

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(field.value.trim());
  });
  field.addEventListener('input', () => tell(''));

  async function submit(symbol: string): Promise<void> {
    tell('');
    if (symbol === '') return tell('Enter a symbol, such as ETH.');
    if (taken.length > MAX_COMPARED) return tell(`At most ${MAX_COMPARED} coins: take one away first.`);
    add.setAttribute('aria-disabled', 'true');
    const found = await find(symbol);
    add.removeAttribute('aria-disabled');
    if (!('id' in found)) return tell(plainText(found.lines.slice(0, 1)));
    if (taken.some(({ id }) => id === found.id)) return tell(`${clean(found.name)} is shown already.`);
    field.value = '';
    onAdd(found, symbol);
  }

  function tell(text: string): void {
    problem.textContent = text;
    if (text === '') field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
  }

  return {
    element: element('div', { class: 'compare-field' }, form, problem, list),
    update(own, compared) {
      taken = [own, ...compared];
      const hadFocus = list.contains(document.activeElement);
      list.replaceChildren(
        ...compared.map((coin) =>
          element(
            'li',
            {},
            element('span', {}, clean(coin.symbol)),
            button('✕', () => onRemove(coin), {
              'aria-label': `Stop comparing with ${coinTitle(coin)}`,
              title: 'Stop comparing',
            }),
          ),
        ),
      );
      list.hidden = compared.length === 0;
      if (hadFocus) field.focus();
    },
  };
}

let fields = 0;
