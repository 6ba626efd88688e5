import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { clean } from '../../commands/format/text.ts';
import {
  intervals,
  type RangeName,
  rangeNameOf,
  rangeNames,
  ranges,
  wholeRange,
} from '../../commands/parse/table.ts';
import type { ChartStyle } from '../../commands/result.ts';
import { Glyph, IconButton } from '../app/parts.tsx';
import { knownTicker } from '../app/session.ts';
import { CoinField } from '../search/coin-field.tsx';
import { MAX_COMPARED } from './dashboard.ts';
import { type ChartRequest, comparing, customLabel, withRange, withStyle } from './request.ts';

interface ToolbarProps {
  readonly name: string;
  readonly request: ChartRequest;
  readonly style: ChartStyle;
  readonly canBeLogarithmic: boolean;
  readonly isExpanded: boolean;
  readonly onChange: (next: ChartRequest) => void;
  readonly onExpand: (isExpanded: boolean) => void;
  readonly onRefresh: () => void;
  readonly onLink: () => void;
  readonly onPicture: () => void;
  readonly onTable: () => void;
}

/** What people compare with, before they have typed anything. */
const USUAL_COINS = [
  { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC' },
  { id: 'eth-ethereum', name: 'Ethereum', symbol: 'ETH' },
  { id: 'sol-solana', name: 'Solana', symbol: 'SOL' },
  { id: 'xrp-xrp', name: 'XRP', symbol: 'XRP' },
] as const;
/** As many candles as one request brings, of an interval that no range names. */
const USUAL_LIMIT = 100;

/** Ranges and looks of a chart, the coins that it is compared with, and what can be taken from it. */
export function Toolbar(props: ToolbarProps) {
  const { name, request, style, canBeLogarithmic, isExpanded, onChange, onExpand } = props;
  const { range } = request.command;
  const whole = wholeRange(knownTicker(request.coin.id)?.data.first_data_at, Date.now());
  const rangeOf = (name: RangeName) => (name === 'all' ? whole : ranges[name]);
  const isWhole =
    range.start === undefined && range.interval === whole.interval && range.limit === whole.limit;
  const chosen = isWhole ? 'all' : rangeNameOf(range);
  const isCompared = request.compared.length > 0;
  const toggle = (label: string, isOn: boolean, onClick: () => void, disabled = false) => (
    <button type="button" aria-pressed={isOn} disabled={disabled} onClick={onClick}>
      {label}
    </button>
  );
  return (
    <div class="toolbar" role="toolbar" aria-label={`View of ${name}`}>
      <span class="toggle ranges" role="group" aria-label={`Range of ${name}`}>
        {rangeNames.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === chosen}
            onClick={() => onChange(withRange(request, rangeOf(each)))}
          >
            {each.toUpperCase()}
          </button>
        ))}
        {chosen === undefined && <span class="custom">{customLabel(range)}</span>}
      </span>
      <span class="toggle" role="group" aria-label={`Look of ${name}`}>
        {toggle('Candles', style === 'candles', () => onChange(withStyle(request, 'candles')), isCompared)}
        {toggle('Line', style === 'line', () => onChange(withStyle(request, 'line')), isCompared)}
      </span>
      <Menu label={`Options of ${name}`}>
        {toggle(
          'Log scale',
          request.isLogarithmic && canBeLogarithmic,
          () => onChange({ ...request, isLogarithmic: !request.isLogarithmic }),
          isCompared || !canBeLogarithmic,
        )}
        {toggle(
          'Average of 20',
          request.hasAverage === true,
          () => onChange({ ...request, hasAverage: !request.hasAverage }),
          isCompared,
        )}
        <label>
          Interval{' '}
          <select
            value={range.interval ?? '24h'}
            onChange={(event) => {
              const interval = intervals.find((each) => each === event.currentTarget.value);
              const limit = range.start === undefined ? USUAL_LIMIT : range.limit;
              if (interval) onChange(withRange(request, { ...range, interval, limit }));
            }}
          >
            {intervals.map((each) => (
              <option value={each}>{each}</option>
            ))}
          </select>
        </label>
        <button type="button" onClick={props.onLink}>
          Copy link
        </button>
        <button type="button" onClick={props.onPicture}>
          Save PNG
        </button>
        <button type="button" onClick={props.onTable}>
          Save CSV
        </button>
        <button type="button" onClick={props.onRefresh}>
          Refresh
        </button>
      </Menu>
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

interface MenuProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** What is needed seldom, behind one button. */
function Menu({ label, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  return (
    <span
      ref={place}
      class="menu-place"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        place.current?.querySelector('button')?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !place.current?.contains(relatedTarget)) setOpen(false);
      }}
    >
      <button
        type="button"
        class="icon"
        aria-label={label}
        title="Options"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Glyph name="more" />
      </button>
      {isOpen && (
        <span class="menu" role="group" aria-label={label}>
          {children}
        </span>
      )}
    </span>
  );
}

type CompareProps = Pick<ToolbarProps, 'name' | 'request' | 'onChange'>;

function Compare({ name, request, onChange }: CompareProps) {
  const { coin, compared } = request;
  return (
    <span class="compare">
      {compared.map((each) => (
        <button
          key={each.id}
          type="button"
          class="chip"
          title="Stop comparing"
          onClick={() =>
            onChange(
              comparing(
                request,
                compared.filter(({ id }) => id !== each.id),
              ),
            )
          }
        >
          <span class="visually-hidden">Stop comparing with </span>
          {clean(each.symbol)} <span aria-hidden="true">✕</span>
        </button>
      ))}
      {compared.length < MAX_COMPARED && (
        <CoinField
          label={`Compare ${name} with`}
          placeholder="Compare"
          usual={USUAL_COINS.filter(({ id }) => ![coin, ...compared].some((each) => each.id === id))}
          onPick={({ id, name: otherName, symbol, rank }) => {
            if ([coin, ...compared].some((each) => each.id === id))
              return `${clean(otherName)} is shown already.`;
            const other = { id, name: otherName, symbol, rank, alternatives: 0, isActive: true };
            onChange(comparing(request, [...compared, other]));
            return undefined;
          }}
        />
      )}
    </span>
  );
}
