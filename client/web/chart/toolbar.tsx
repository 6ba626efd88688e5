import { clean } from '../../commands/format/text.ts';
import { intervals, maxCompared, rangeNameOf, rangeNames, ranges } from '../../commands/parse/table.ts';
import { Button, Disclosure, Glyph, IconButton } from '../app/button.tsx';
import { CoinField } from '../app/search.tsx';
import { type AddressChart, type ChartRequest, customLabel } from './address.ts';
import type { Drawn } from './chart-view.ts';

interface ToolbarProps {
  readonly name: string;
  readonly request: ChartRequest;
  readonly drawn: Drawn | undefined;
  readonly canBeLogarithmic: boolean;
  readonly isExpanded: boolean;
  readonly onChange: (next: ChartRequest) => void;
  readonly onExpand: (isExpanded: boolean) => void;
  /** Further actions for the chart, by name. */
  readonly actions: Readonly<Record<string, () => void>>;
}

/** Suggested comparisons before anything is typed. */
const USUAL_COINS = [
  { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC' },
  { id: 'eth-ethereum', name: 'Ethereum', symbol: 'ETH' },
  { id: 'sol-solana', name: 'Solana', symbol: 'SOL' },
  { id: 'xrp-xrp', name: 'XRP', symbol: 'XRP' },
] as const;
/** The most candles in one request, at an interval that no range uses. */
const USUAL_LIMIT = 100;

/** A chart's ranges and looks, its compared coins, and its exports. */
export function Toolbar(props: ToolbarProps) {
  const { name, request, drawn, canBeLogarithmic, isExpanded, onChange, onExpand, actions } = props;
  const { range, isLogarithmic = false, hasAverage = false } = request;
  const chosen = rangeNameOf(range);
  const style = drawn?.style ?? request.style ?? 'candles';
  const isCompared = request.compared.length > 0;
  const change = (look: Partial<AddressChart>) => onChange({ ...request, ...look });
  const withRange = (next: AddressChart['range']) =>
    change({ range: { ...next, ...(range.quote && { quote: range.quote }) } });
  const toggle = (label: string, isOn: boolean, onClick: () => void, disabled = false) => (
    <Button key={label} label={label} aria-pressed={isOn} disabled={disabled} onClick={onClick} />
  );
  return (
    <div class="toolbar" role="toolbar" aria-label={`View of ${name}`}>
      <span class="toggle ranges" role="group" aria-label={`Range of ${name}`}>
        {rangeNames.map((each) => toggle(each.toUpperCase(), each === chosen, () => withRange(ranges[each])))}
        {chosen === undefined && <span class="custom">{customLabel(range)}</span>}
      </span>
      <span class="toggle" role="group" aria-label={`Look of ${name}`}>
        {toggle('Candles', style === 'candles', () => change({ style: 'candles' }), isCompared)}
        {toggle('Line', style === 'line', () => change({ style: 'line' }), isCompared)}
      </span>
      <Disclosure kind="menu" class="icon" label={`Options of ${name}`} button={<Glyph name="more" />}>
        {toggle(
          'Log scale',
          isLogarithmic && canBeLogarithmic,
          () => change({ isLogarithmic: !isLogarithmic }),
          isCompared || !canBeLogarithmic,
        )}
        {toggle('Average of 20', hasAverage, () => change({ hasAverage: !hasAverage }), isCompared)}
        <label>
          Interval{' '}
          <select
            value={chosen === 'all' ? drawn?.interval : (range.interval ?? '24h')}
            onChange={(event) => {
              const interval = intervals.find((each) => each === event.currentTarget.value);
              const limit = range.start === undefined ? USUAL_LIMIT : range.limit;
              if (interval) withRange({ ...range, interval, limit });
            }}
          >
            {intervals.map((each) => (
              <option value={each}>{each}</option>
            ))}
          </select>
        </label>
        {Object.entries(actions).map(([label, run]) => (
          <Button key={label} label={label} onClick={run} />
        ))}
      </Disclosure>
      <Compare name={name} request={request} onChange={onChange} />
      <span class="tools">
        <IconButton
          glyph={isExpanded ? 'collapse' : 'expand'}
          label={`${isExpanded ? 'Shrink' : 'Expand'} ${name}`}
          title={isExpanded ? 'Back (Esc)' : 'Fill the window'}
          onClick={() => onExpand(!isExpanded)}
        />
      </span>
    </div>
  );
}

type CompareProps = Pick<ToolbarProps, 'name' | 'request' | 'onChange'>;

function Compare({ name, request, onChange }: CompareProps) {
  const { coin, compared, names } = request;
  const ids = [coin, ...compared].map(({ id }) => id);
  return (
    <span class="compare">
      {compared.map((each, index) => (
        <button
          key={each.id}
          type="button"
          class="chip"
          title="Stop comparing"
          onClick={() =>
            onChange({
              ...request,
              names: names.toSpliced(index + 1, 1),
              compared: compared.toSpliced(index, 1),
            })
          }
        >
          <span class="visually-hidden">Stop comparing with </span>
          {clean(each.symbol)} <span aria-hidden="true">✕</span>
        </button>
      ))}
      {compared.length < maxCompared && (
        <CoinField
          label={`Compare ${name} with`}
          placeholder="Compare"
          usual={USUAL_COINS.filter(({ id }) => !ids.includes(id))}
          refusal={({ id, name }) => ids.includes(id) && `${clean(name)} is already shown.`}
          onPick={({ id, name, symbol, rank }) => {
            const other = { id, name, symbol, rank, alternatives: 0, isActive: true };
            onChange({ ...request, names: [...names, id], compared: [...compared, other] });
          }}
        />
      )}
    </span>
  );
}
