import { useState } from 'preact/hooks';
import { clean, plainText } from '../../commands/format/text.ts';
import { coinNamed } from '../../commands/run.ts';
import { Monogram } from '../app/parts.tsx';
import { context } from '../app/session.ts';
import { type ListedCoin, useCoinSearch } from './coin-search.ts';
import { Combobox, type Option } from './combobox.tsx';

export function coinOption(coin: ListedCoin, run: () => void, figure?: Option['content']): Option {
  const content = (
    <>
      <Monogram {...coin} />
      <span class="names">
        <span class="name">{clean(coin.name)}</span>
        <span class="symbol">
          {clean(coin.symbol)}
          {coin.rank ? ` · rank ${coin.rank}` : ''}
        </span>
      </span>
      {figure}
    </>
  );
  return { key: `coin ${coin.id}`, content, run };
}

interface CoinFieldProps {
  readonly label: string;
  readonly placeholder: string;
  /** Suggested as long as nothing is typed. */
  readonly usual?: readonly ListedCoin[];
  /** Why the coin cannot be taken; undefined if it was. */
  readonly onPick: (coin: ListedCoin) => string | undefined;
}

/** A field that suggests coins while one is typed; Enter takes the marked one, or what the text itself names. */
export function CoinField({ label, placeholder, usual = [], onPick }: CoinFieldProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [isFocused, setFocused] = useState(false);
  const { coins, isBusy } = useCoinSearch(text);
  const offered = text.trim() === '' ? usual : coins.value;

  function pick(coin: ListedCoin): void {
    const refusal = onPick(coin);
    setProblem(refusal ?? '');
    if (refusal === undefined) setText('');
  }

  async function pickNamed(): Promise<void> {
    const named = await coinNamed(text.trim(), context);
    if ('kind' in named) setProblem(plainText(named.lines.slice(0, 1)));
    else pick(named);
  }

  return (
    <div class="coin-field" onFocusIn={() => setFocused(true)} onFocusOut={() => setFocused(false)}>
      <Combobox
        label={label}
        value={text}
        onInput={(value) => {
          setText(value);
          setProblem('');
        }}
        groups={[{ title: 'Coins', options: offered.map((coin) => coinOption(coin, () => pick(coin))) }]}
        onEnter={(marked) => {
          if (text.trim() === '') setProblem('Enter a coin, such as ETH.');
          else if (isBusy.value || !marked) void pickNamed();
          else return false;
          return true;
        }}
        isAlwaysOpen={isFocused}
        inputProps={{ placeholder, 'aria-invalid': problem !== '' }}
      />
      <p class="problem" role="alert">
        {problem}
      </p>
    </div>
  );
}
