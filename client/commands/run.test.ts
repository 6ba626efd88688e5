import { describe, expect, test } from 'vitest';
import {
  candles,
  candlesRoute,
  entry,
  euroRates,
  resolved,
  resolveIn,
  type Stubs,
  stubApi,
  tickerOf,
} from '../../test/client/stub-api.ts';
import { ApiFailure, type MarketdataOhlcvData, type MarketdataSearchData } from '../sdk/index.ts';
import { lastSearchInMemory } from './coins.ts';
import { sessionRates } from './currency.ts';
import { resultLines } from './format/result.ts';
import { plainText } from './format/text.ts';
import { runLine } from './run.ts';
import { sessionTickers } from './tickers.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 4, 0);
const EXACT = {
  'x-data-source': 'coinpaprika',
  'x-data-quality': 'exact',
  'x-data-time': '2026-01-31T12:03:00.000Z',
};

interface Setting {
  readonly headers?: Readonly<Record<string, string>>;
  readonly hasKey?: boolean;
  readonly width?: number;
}

/** Runs lines one after another; the output of the last one, and the requests that it made. */
async function outputOf(
  lines: string | readonly string[],
  stubs: Stubs,
  { headers = EXACT, hasKey = false, width = 80 }: Setting = {},
) {
  const { api, calls } = stubApi(stubs, headers);
  const now = () => NOW;
  const context = {
    api,
    rates: sessionRates(api, now),
    tickers: sessionTickers(now),
    lastSearch: lastSearchInMemory(),
    now,
    keySetting: 'THE_SETTING',
    hasKey: () => hasKey,
  };
  const [line = '', ...before] = [lines].flat().toReversed();
  for (const each of before.toReversed()) await runLine(each, context);
  calls.length = 0;
  const result = await runLine(line, context);
  return { text: plainText(resultLines(result, { width, now: NOW })), result, calls };
}

async function textOf(line: string | readonly string[], stubs: Stubs, setting?: Setting): Promise<string> {
  return (await outputOf(line, stubs, setting)).text;
}

const btc: Stubs = { resolve: () => resolved(), ticker: () => tickerOf() };

const data = candles([
  [100, 110, 95, 105],
  [105, 120, 104, 118],
]);

function failing(error: Error) {
  return (): never => {
    throw error;
  };
}

describe('cprice', () => {
  test('prints name, price, change, market cap with rank, volume and source', async () => {
    const { text, calls } = await outputOf('cprice BTC', btc);

    expect(text).toBe(
      [
        'Bitcoin (BTC)',
        'Price:       $67,123.46',
        '24h change:  +2.31%',
        'Market cap:  $1.32T (rank #1)',
        '24h volume:  $28.42B',
        'Source:      CoinPaprika, as of 12:03 UTC',
      ].join('\n'),
    );
    expect(calls).toEqual(['resolve {"symbol":"BTC"}', 'ticker {"id":"btc-bitcoin"}']);
  });

  test.each([
    [3, true, 'CAT is also the symbol of 3 other coins: coinsearch CAT'],
    [1, true, 'CAT is also the symbol of 1 other coin: coinsearch CAT'],
    [3, false, 'Price:       $67,123.46'],
  ])(
    'of a symbol that %s others have, ambiguous: %s, has the second line %s',
    async (alternatives, isAmbiguous, line) => {
      const cat = { id: 'cat-simons-cat', name: "Simon's Cat", symbol: 'CAT', rank: 658 };
      const stubs: Stubs = {
        resolve: () => resolved({ ...cat, alternatives, isAmbiguous }),
        ticker: () => tickerOf(cat),
      };
      const { text, calls } = await outputOf('cprice CAT', stubs);
      expect(text.split('\n').slice(0, 2)).toEqual(["Simon's Cat (CAT)", line]);
      expect(calls).toEqual(['resolve {"symbol":"CAT"}', 'ticker {"id":"cat-simons-cat"}']);
    },
  );

  const harry = entry({ id: 'bitcoin-harry', symbol: 'BITCOIN', name: 'Harry', rank: 498 });
  const harry2 = { ...harry, id: 'bitcoin-harry-bsc', rank: 6723 };
  const cash = entry({ id: 'bch-bitcoin-cash', symbol: 'BCH', name: 'Bitcoin Cash', rank: 20 });
  const byName: Stubs = {
    resolve: resolveIn([entry(), harry, cash, harry2]),
    search: ({ q }) => {
      const results = q.includes('cash') ? [cash] : q === 'zzz' ? [] : [entry(), harry];
      return { query: q, count: results.length, results };
    },
    ticker: ({ id }) => (id === cash.id ? tickerOf({ ...cash }) : tickerOf()),
  };

  test.each([
    ['cprice Bitcoin', 'Bitcoin (BTC)'],
    ['cchart bitcoin', 'Bitcoin (BTC), 0 daily candles in USD'],
  ])('%s means the coin of that name, and mentions those of that symbol', async (line, title) => {
    const ohlcv = () => ({ coinId: 'btc-bitcoin', interval: '24h', quote: 'usd', count: 0, data: [] });
    expect((await textOf(line, { ...byName, ohlcv })).split('\n').slice(0, 2)).toEqual([
      title,
      'Found by name; Bitcoin is also the symbol of 2 other coins: coinsearch Bitcoin',
    ]);
  });

  test('words that are a name together are that coin', async () => {
    const { text, result } = await outputOf('cprice bitcoin cash', byName);
    expect(text.split('\n').slice(0, 2)).toEqual(['Bitcoin Cash (BCH)', 'Price:       $67,123.46']);
    expect(result).toMatchObject({ prices: [{ coin: { foundBy: 'name' } }], missing: [] });
  });

  test('unknown words are searched for together', async () => {
    expect(await textOf('cprice bitconi cashh', byName)).toBe(
      [
        `Coin "bitconi cashh" was not found in CoinPaprika's database.`,
        'Did you mean: cprice BCH  Bitcoin Cash',
        "Try: coinsearch 'bitconi cashh'",
      ].join('\n'),
    );
  });

  test('an inactive coin has a remark', async () => {
    const stubs: Stubs = {
      resolve: () => resolved({ is_active: false, foundBy: 'id' }),
      ticker: () => tickerOf(),
    };
    const text = await textOf('cprice btc-bitcoin', stubs);
    expect(text.split('\n')[1]).toBe('This coin is no longer active.');
  });

  const pol = { id: 'pol-polygon-ecosystem-token', symbol: 'POL', name: 'Polygon', ratio: 1 };
  const matic = { id: 'matic-polygon', symbol: 'MATIC', name: 'Polygon' };

  test('a coin that continues as another has a remark that names the other', async () => {
    const text = await textOf('cprice matic', {
      resolve: () => resolved({ ...matic, successor: pol }),
      ticker: () => tickerOf(matic),
    });
    expect(text.split('\n').slice(0, 2)).toEqual([
      'Polygon (MATIC)',
      'MATIC continued as POL (pol-polygon-ecosystem-token).',
    ]);
  });

  test('a coin found by the symbol of the one that it replaced has a remark, with the ratio', async () => {
    const aave = { id: 'aave-new', symbol: 'AAVE', name: 'Aave' };
    const predecessor = { id: 'lend-ethlend', symbol: 'LEND', name: 'Aave', ratio: 0.01 };
    const text = await textOf('cprice lend', {
      resolve: () => resolved({ ...aave, foundBy: 'formerSymbol', predecessor }),
      ticker: () => tickerOf(aave),
    });
    expect(text.split('\n').slice(0, 2)).toEqual([
      'Aave (AAVE)',
      'LEND continued as AAVE (aave-new), 1 LEND for 0.01 AAVE.',
    ]);
  });

  test('a coin without a price any more has its last one, and its successor', async () => {
    const message =
      'No price of ftm-fantom is known now; the last one was 0.0123 USD on 2026-03-04; FTM (ftm-fantom) continued as S (s-sonic)';
    const ftm = { id: 'ftm-fantom', symbol: 'FTM', name: 'Fantom', is_active: false };
    const successor = { id: 's-sonic', symbol: 'S', name: 'Sonic', ratio: 1 };
    const stubs: Stubs = {
      resolve: ({ symbol }) =>
        symbol === 'btc' ? resolved() : resolved({ ...ftm, foundBy: 'id', successor }),
      ticker: () => {
        throw new ApiFailure(404, message, { isAnswer: true });
      },
      tickers: ({ ids = [] }) => ({
        count: ids.length,
        results: ids.map((id) => ({ id, error: `No ticker of ${id} is available` })),
      }),
    };
    const lines = [
      'Fantom (FTM) is inactive: it has no price any more.',
      'Its last known price was 0.0123 USD on 2026-03-04.',
      'FTM continued as S (s-sonic).',
      'Try: cprice s-sonic',
    ];
    expect(await textOf('cprice ftm-fantom', stubs)).toBe(lines.join('\n'));
    expect(await textOf('cprice ftm-fantom ftm-fantom', stubs)).toContain(lines.join('\n'));
  });

  test.each([
    ['stale', 'coinpaprika', 'CoinPaprika, as of 12:03 UTC, provider unreachable'],
    ['disputed', 'coinpaprika', 'CoinPaprika, as of 12:03 UTC; disputed: exchanges differ by more than 10 %'],
    [
      'sampled',
      'coinbase,kraken',
      'Coinbase and Kraken, as of 12:03 UTC; folded from prices every ten minutes',
    ],
    ['exact', 'coinbase, kraken,binance', 'Coinbase, Kraken and Binance, as of 12:03 UTC'],
    ['exact', 'simulated', 'simulated data, not real prices, as of 12:03 UTC'],
    [
      'exact',
      'coinbase,simulated,kraken',
      'Coinbase and Kraken, in part simulated data, not real prices, as of 12:03 UTC',
    ],
    ['exact', 'other\u009b2J', 'other2J, as of 12:03 UTC'],
    ['exact', ',', 'CoinPaprika, as of 12:03 UTC'],
  ])('%s data of %s is shown as that', async (quality, source, said) => {
    const headers = {
      'x-data-source': source,
      'x-data-quality': quality,
      'x-data-time': EXACT['x-data-time'],
    };
    const text = await textOf('cprice BTC', btc, { headers });
    expect(text.split('\n').at(-1)).toBe(`Source:      ${said}`);
  });

  test('data of another day is dated, and data without a time is not', async () => {
    const dated = await textOf('cprice BTC', btc, {
      headers: { ...EXACT, 'x-data-time': '2026-01-30T12:04:00.000Z' },
    });
    const undated = await textOf('cprice BTC', btc, { headers: {} });
    expect(dated.split('\n').at(-1)).toBe('Source:      CoinPaprika, as of 2026-01-30 12:04 UTC');
    expect(undated.split('\n').at(-1)).toBe('Source:      CoinPaprika');
  });

  test("a coin's name cannot control the terminal", async () => {
    const stubs = { ...btc, ticker: () => tickerOf({ name: '\u001b[2JBit\ncoin' }) };
    expect((await textOf('cprice BTC', stubs)).split('\n')[0]).toBe('[2JBit coin (BTC)');
  });
});

describe('coinsearch', () => {
  const found = (results: MarketdataSearchData['results']): Stubs => ({
    search: ({ q }) => ({ query: q, count: results.length, results }),
  });
  const ether = [
    entry({ id: 'weth-weth', symbol: 'WETH', name: 'Wrapped Ether', rank: 19, type: 'token' }),
    entry({ id: 'weth2-other', symbol: 'WETH2', name: 'Wrapped Ether (other)', rank: 0, type: 'token' }),
    entry({
      id: 'weth-old',
      symbol: 'WETH',
      name: 'Wrapped Ether (old)',
      rank: 0,
      type: 'token',
      is_active: false,
    }),
  ];

  test('lists symbol, name, rank and kind of each match, and ends with a hint', async () => {
    const { text, calls } = await outputOf('coinsearch wrapped ether', found(ether));

    expect(text).toBe(
      [
        'Coins like "wrapped ether"',
        '1. WETH   Wrapped Ether          #19       token            weth-weth',
        '2. WETH2  Wrapped Ether (other)  Unranked  token            weth2-other',
        '3. WETH   Wrapped Ether (old)    Unranked  token, inactive  weth-old',
        'For a price: cprice <symbol>, such as cprice WETH, or by its number: cprice 1',
      ].join('\n'),
    );
    expect(calls).toEqual(['search {"q":"wrapped ether"}']);
  });

  test('in a narrow window the ids stand in lines of their own', async () => {
    const text = await textOf('coinsearch wrapped ether', found(ether), { width: 41 });
    expect(
      text
        .split('\n')
        .slice(1, 5)
        .map((row) => row.trimEnd()),
    ).toEqual([
      '1. WETH   Wrapped Ether          #19',
      '   weth-weth  token',
      '2. WETH2  Wrapped Ether (other)  Unranked',
      '   weth2-other  token',
    ]);
  });

  test('a simulated list says that it is one', async () => {
    const text = await textOf('coinsearch ether', found(ether), {
      headers: { 'x-data-source': 'simulated' },
    });
    expect(text.split('\n').slice(0, 2)).toEqual([
      'Coins like "ether"',
      'Simulated list: most of these coins do not exist.',
    ]);
  });

  test('a query in quotes and a limit reach the service', async () => {
    const { calls } = await outputOf('coinsearch "wrapped ether" --limit 5', found([]));
    expect(calls).toEqual(['search {"q":"wrapped ether","limit":5}']);
  });

  test('no match has a message', async () => {
    expect(await textOf('coinsearch xyzzy', found([]))).toBe(
      'No coin matches "xyzzy".\nTry fewer or other words.',
    );
  });
});

describe('cchart', () => {
  const chart = (changes: Partial<MarketdataOhlcvData> = {}): Stubs => ({
    resolve: () => resolved(),
    ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data, ...changes }),
  });

  test('requests the defaults of the route, and heads the chart with price, change and range', async () => {
    const { text, calls } = await outputOf('cchart BTC', chart());

    expect(text).toBe(
      [
        'Bitcoin (BTC), 2 daily candles in USD',
        '$118.00 48h +18.00%  low $95.00, high $120.00',
        'Source: CoinPaprika, as of 12:03 UTC; exact candles',
      ].join('\n'),
    );
    expect(calls).toEqual([
      'resolve {"symbol":"BTC"}',
      'ohlcv {"id":"btc-bitcoin"}',
      'ticker {"id":"btc-bitcoin"}',
    ]);
  });

  test('its options reach the service', async () => {
    const line = 'chart BTC --line --interval 7d --limit 26 --start 2026-01-01 --end=2026-06-30 --quote btc';
    const { result, calls } = await outputOf(line, chart());

    expect(result).toMatchObject({ command: { style: 'line' } });
    expect(calls[1]).toBe(
      'ohlcv {"id":"btc-bitcoin","interval":"7d","limit":26,"start":"2026-01-01","end":"2026-06-30","quote":"btc"}',
    );
  });

  test('the source line of derived hourly candles names what they are made of', async () => {
    const headers = { ...EXACT, 'x-data-quality': 'derived' };
    const text = await textOf('cchart BTC', chart({ interval: '1h' }), { headers });
    expect(text.split('\n').at(-1)).toBe(
      'Source: CoinPaprika, as of 12:03 UTC; hourly closes where no candles are known',
    );
  });

  test('a chart without candles has a message', async () => {
    expect(await textOf('cchart BTC', chart({ count: 0, data: [] }))).toBe(
      'Bitcoin (BTC), 0 daily candles in USD\nNo candles in this time.\nSource: CoinPaprika, as of 12:03 UTC',
    );
  });

  test('prices in bitcoin are written as such', async () => {
    const text = await textOf('cchart BTC --quote btc', chart({ quote: 'btc' }));
    expect(text.split('\n')[1]).toBe('118.00 BTC 48h +18.00%  low 95.00 BTC, high 120.00 BTC');
  });
});

describe('a number of the last search', () => {
  const ethereum = entry({ id: 'eth-ethereum', symbol: 'ETH', name: 'Ethereum' });
  const old = entry({ id: 'old-coin', symbol: 'OLD', name: 'Old', is_active: false });
  const lists: Readonly<Record<string, MarketdataSearchData['results']>> = {
    e: [entry(), ethereum],
    old: [old],
  };
  const searched: Stubs = {
    search: ({ q }) => ({ query: q, count: lists[q]?.length ?? 0, results: lists[q] ?? [] }),
    resolve: ({ symbol }) => {
      const coin = [ethereum, old].find(({ id }) => id === symbol);
      if (!coin) throw new ApiFailure(404, 'Unknown symbol', { isAnswer: true });
      return resolved({ ...coin, foundBy: 'id' });
    },
    ticker: ({ id }) => {
      if (id === old.id) throw new ApiFailure(404, 'No ticker', { isAnswer: true });
      return tickerOf(ethereum);
    },
    ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data }),
  };

  test.each([
    [['coinsearch e', 'cprice 2'], /^2 of your last search: Ethereum \(ETH\)\n/],
    [['coinsearch e', 'cchart 2'], /^2 of your last search: Ethereum \(ETH\), 2 daily /],
    [['coinsearch e', 'coinsearch nothing', 'cprice 2'], /^2 of your last search: /],
  ])('is its coin, named in the first line: %j', async (lines, text) => {
    const output = await outputOf(lines, searched);
    expect(output.text).toMatch(text);
    expect(output.calls[0]).toBe('resolve {"symbol":"eth-ethereum"}');
  });

  test.each([
    ['no list', ['cprice 2'], '2'],
    ['a number beyond the list', ['coinsearch e', 'cprice 3'], '3'],
    ['a number that the list cannot have', ['coinsearch e', 'cprice 02'], '02'],
  ])('with %s is a symbol', async (_name, lines, symbol) => {
    expect((await outputOf(lines, searched)).calls[0]).toBe(`resolve {"symbol":"${symbol}"}`);
  });

  test('of an inactive coin names the coin and has no price', async () => {
    expect(await textOf(['coinsearch old', 'cprice 1'], searched)).toBe(
      '1 of your last search is inactive: Old (OLD) has no price any more.\nTry: coinsearch OLD',
    );
  });

  test("beyond the list reports the list's length", async () => {
    expect(await textOf(['coinsearch e', 'cprice 7'], searched)).toBe(
      'Your last search found 2 coins, so it has no number 7.\nTry: coinsearch 7',
    );
  });
});

describe('cchart --compare', () => {
  const two: Stubs = {
    resolve: ({ symbol }) => resolved({ symbol, id: symbol.slice(0, 3).toLowerCase(), name: symbol }),
    ticker: ({ id }) => tickerOf({ id }, { price: id === 'btc' ? 150 : 1 }),
    ohlcv: ({ id, quote = 'usd' }) => ({ coinId: id, interval: '24h', quote, count: data.length, data }),
  };

  test('has a line for each coin, with price, period and change', async () => {
    const headers = { ...EXACT, 'x-data-time': '2026-01-02T12:00:00.000Z' };
    expect(await textOf('cchart BTC --compare ETH', two, { headers })).toBe(
      [
        'BTC, ETH: 2 daily prices in percent',
        'BTC  $150.00  30d +4.00%',
        'ETH    $1.00  30d +4.00%',
        'Source: CoinPaprika, as of 2026-01-02 12:00 UTC; exact candles',
      ].join('\n'),
    );
  });

  test('shows prices in bitcoin, and of a past period', async () => {
    const line = 'cchart BTC --compare ETH --quote btc --start 2026-01-01 --end 2026-01-02';
    expect(await textOf(line, two)).toContain('\nETH  118.00 BTC  48h +18.00%\n');
  });

  test.each(['BTC,btc', 'ETH,eth', 'ETH,BTC,ETH', 'ETH,eth-ethereum'])(
    'shows a coin that is given twice, as in BTC and %s, once',
    async (list) => {
      const { calls, text } = await outputOf(`cchart BTC --compare ${list}`, two);
      const charts = calls.filter((call) => call.startsWith('ohlcv'));
      expect(charts).toHaveLength(new Set(charts).size);
      if (list === 'BTC,btc') expect(text).toMatch(/^BTC \(BTC\), 2 daily candles/); // compared with itself alone
    },
  );

  test.each([
    ['--compare A,B,C,D,E', 'At most 4 coins are compared with one, not 5'],
    ['--compare ETH --candles', 'Coins are compared by lines; leave out one of --compare and --candles'],
  ])('%s is a usage error', async (options, message) => {
    const { text, calls } = await outputOf(`cchart BTC ${options}`, two);
    expect(text).toBe(`${message}\nUsage: cchart <symbol> [options]`);
    expect(calls).toEqual([]);
  });
});

describe('--currency', () => {
  const inEuros: Stubs = {
    ...btc,
    rates: () => euroRates(),
    // A dollar was worth 100 yen and then 120, and is worth 144 today.
    ohlcv: candlesRoute(data, { JPY: [100, 120], EUR: [0.9, 0.9] }),
  };

  test('prints amounts in euros, with the rate', async () => {
    const { text, calls, result } = await outputOf('cprice --currency=EUR BTC', inEuros);
    expect(text).toBe(
      [
        'Bitcoin (BTC)',
        'Price:       €53,699.00',
        '24h change:  +2.31%',
        'Market cap:  €1.06T (rank #1)',
        '24h volume:  €22.74B',
        'Source:      CoinPaprika, as of 12:03 UTC; in EUR at the rate of 30 January (CoinPaprika); changes are those in USD',
      ].join('\n'),
    );
    expect(calls.filter((call) => call.startsWith('rates'))).toHaveLength(1);
    expect(result).toMatchObject({ prices: [{ data: tickerOf() }] }); // as it came
  });

  test('shows each candle of a chart at the rate of its own time, and the change of what is shown', async () => {
    const past = await outputOf('cchart BTC --currency jpy', { ...inEuros, ticker: undefined });
    expect(past.text).toBe(
      [
        'Bitcoin (BTC), 2 daily candles in JPY',
        '¥14,160 48h +41.60%  low ¥9,500, high ¥14,400',
        'Source: CoinPaprika, as of 12:03 UTC; exact candles; in JPY, each at the rate of its time',
      ].join('\n'),
    );
    expect(past.calls).toContain('ohlcv {"id":"btc-bitcoin","currency":"JPY"}');
  });

  test('has the price now at the rate now beside a chart', async () => {
    expect(await textOf('cchart BTC --currency jpy', inEuros)).toBe(
      [
        'Bitcoin (BTC), 2 daily candles in JPY',
        '¥9,665,800 48h +96,558.00%  low ¥9,500, high ¥14,400',
        'Source: CoinPaprika, as of 12:03 UTC; exact candles; in JPY, each at the rate of its time, the last at that of 30 January',
      ].join('\n'),
    );
  });

  test('compares coins by their prices in the currency', async () => {
    const two: Stubs = {
      ...inEuros,
      resolve: ({ symbol }) => resolved({ id: symbol.toLowerCase(), symbol }),
      ticker: undefined,
    };
    const { text, calls } = await outputOf('cchart BTC --compare ETH --currency jpy', two);
    expect(text).toContain('BTC  ¥14,160  48h +41.60%');
    expect(text).toContain('in JPY, each at the rate of its time');
    expect(calls.filter((call) => call.startsWith('ohlcv')).every((call) => call.includes('JPY'))).toBe(true);
  });

  test('looks for the beginning of a coin’s history in the currency too', async () => {
    const { calls } = await outputOf('cchart BTC --range all --currency jpy', inEuros);
    const requests = calls.filter((call) => call.startsWith('ohlcv'));
    expect(requests).toHaveLength(2);
    expect(requests.every((call) => call.includes('"currency":"JPY"'))).toBe(true);
  });

  test('of candles of a time from which no rate is known says so, and how to see them', async () => {
    const { text, result } = await outputOf('cchart BTC --currency uah', {
      ...inEuros,
      rates: () => euroRates({ rates: { UAH: '51.30', USD: '1.2500' } }),
    });
    expect(text).toBe(
      'No exchange rate of UAH is known from 2026-01-01 to 2026-01-02; use USD\nTry: cchart BTC --currency usd',
    );
    expect(result).toMatchObject({ kind: 'failure', reason: 'not-found' });
  });

  test.each([
    ['uah', 'UAH 2,754,700'],
    ['kwd', 'KWD 20,540.000'],
    ['vnd', '₫1,749,000,000'],
    ['xau', 'XAU 16.11'],
  ])('shows a price in %s', async (code, price) => {
    const rates = { KWD: '0.38250', UAH: '51.30', USD: '1.2500', VND: '32570', XAU: '0.00030' };
    const { text } = await outputOf(`cprice BTC --currency ${code}`, {
      ...btc,
      rates: () => euroRates({ rates }),
    });
    expect(text).toContain(`Price:       ${price}\n`);
  });

  test.each([
    'cprice BTC',
    'cprice BTC --currency usd',
    'cchart BTC --currency USD',
    'cchart BTC --quote btc',
  ])('%s fetches no rates', async (line) => {
    const { calls, result } = await outputOf(line, inEuros);
    expect(calls.filter((call) => call.startsWith('rates'))).toEqual([]);
    expect(result).toMatchObject({ conversion: undefined });
  });
});

describe('errors', () => {
  /** A method that fails as the service answers. */
  const answering = (status: number, message: string, retryAfterSeconds?: number) =>
    failing(new ApiFailure(status, message, { retryAfterSeconds, isAnswer: true }));
  const limited = (seconds?: number): Stubs => ({
    ...btc,
    ticker: answering(429, 'Rate limit exceeded', seconds),
  });
  const freeTier = "Rate limit exceeded\nCoinPaprika's free tier allows 25,000 requests per month.\n";
  const inEuros: Stubs = { ...btc, rates: () => euroRates() };

  test.each<[line: string, what: string, reason: string, stubs: Stubs, text: string]>([
    [
      'cchart NOSUCH',
      'an unknown symbol',
      'not-found',
      {},
      `Coin "NOSUCH" was not found in CoinPaprika's database.\nTry: coinsearch NOSUCH`,
    ],
    [
      `cprice 'A $B'`,
      'a symbol that a shell would read otherwise',
      'not-found',
      {},
      `Coin "A $B" was not found in CoinPaprika's database.\nTry: coinsearch 'A $B'`,
    ],
    [
      'cprice BTC',
      'a coin that the registry has and the provider has not',
      'not-found',
      { ...btc, ticker: answering(404, 'No coin has the id btc-bitcoin') },
      `Coin "BTC" was not found in CoinPaprika's database.\nTry: coinsearch BTC`,
    ],
    [
      'cprice BTC --currency xts',
      'a code that no currency has',
      'not-found',
      inEuros,
      'No currency has the code XTS.\nCurrencies: EUR, JPY, USD',
    ],
    [
      'cprice BTC --currency jpx',
      'a code with a typing error',
      'not-found',
      inEuros,
      'No currency has the code JPX.\nDid you mean: JPY  Japanese Yen',
    ],
    [
      'cchart BTC --currency uah',
      'a currency that has no rate now',
      'unavailable',
      inEuros,
      'No exchange rate of UAH is available now.\nTry again later, or choose another currency, such as USD.',
    ],
    [
      'cchart BTC --currency eur',
      'a service that cannot read past rates',
      'unavailable',
      {
        ...inEuros,
        ohlcv: answering(503, 'The exchange rates of past days are out of reach; try again in a minute'),
      },
      'Chart fetch failed for BTC: The exchange rates of past days are out of reach; try again in a minute',
    ],
    [
      'cchart BTC --currency eur',
      'a service without rates, which shows no dollars instead',
      'unavailable',
      { ...btc, rates: answering(503, 'No exchange rates yet') },
      'Exchange rate fetch failed for EUR: No exchange rates yet',
    ],
    [
      'cprice BTC --currency eur',
      'a limit on rates, which is not the provider’s',
      'rate-limited',
      { ...btc, rates: answering(429, 'Rate limit exceeded', 9) },
      'Rate limit exceeded\nTry again in 9 seconds (12:04 UTC).',
    ],
    [
      'cprice BTC',
      'a limit of ten minutes',
      'rate-limited',
      limited(600),
      `${freeTier}Try again in 10 minutes (12:14 UTC).`,
    ],
    [
      'cprice BTC',
      'a limit of a day',
      'rate-limited',
      limited(86_400),
      `${freeTier}Try again in 24 hours (2026-02-01 12:04 UTC).`,
    ],
    [
      'cprice BTC',
      'a limit that does not say how long it lasts',
      'rate-limited',
      limited(),
      `${freeTier}Try again in a minute.`,
    ],
    [
      'coinsearch wrapped ether',
      'a service that cannot be reached',
      'unavailable',
      { search: failing(new ApiFailure(undefined, 'connect ECONNREFUSED 127.0.0.1:3000')) },
      'Search fetch failed for wrapped ether: connect ECONNREFUSED 127.0.0.1:3000',
    ],
    [
      'cprice BTC',
      'a 500, in the words of the service',
      'failed',
      { ...btc, ticker: answering(500, 'Server configuration error') },
      'Price fetch failed for BTC: Server configuration error',
    ],
    [
      'cchart BTC --start soon',
      'a value that the service refuses, in its words',
      'usage',
      { ...btc, ohlcv: answering(400, 'Invalid parameter start: "soon"; allowed: an ISO 8601 date or time') },
      'Invalid parameter start: "soon"; allowed: an ISO 8601 date or time',
    ],
    [
      'cprice BTC',
      'a 404 of something else than the service',
      'failed',
      { resolve: failing(new ApiFailure(404, 'http://x does not answer as the market-data API does')) },
      'Price fetch failed for BTC: http://x does not answer as the market-data API does',
    ],
  ])('%s reports %s', async (line, _what, reason, stubs, text) => {
    const { result, ...output } = await outputOf(line, stubs);
    expect(output.text).toBe(text);
    expect(result).toMatchObject({ reason });
  });

  test.each([
    [false, 'Unauthorized: the service requires an API key. Set it in THE_SETTING.'],
    [true, 'Unauthorized: the service does not accept the API key in THE_SETTING.'],
  ])('a 401 names the setting that holds the key (key given: %s)', async (hasKey, text) => {
    const output = await outputOf('cprice BTC', { resolve: answering(401, 'Unauthorized') }, { hasKey });
    expect(output).toMatchObject({ text, result: { reason: 'unauthorized' } });
  });

  test('a name that no URL can carry is not found, without a request', async () => {
    const { text, calls } = await outputOf('cprice ..', {});
    expect(text).toContain('Coin ".." was not found');
    expect(calls.filter((call) => call.startsWith('resolve'))).toEqual([]);
  });

  test('at most three similar coins are suggested, by a symbol or id that finds them', async () => {
    const results = [
      entry({ id: 'eth-ethereum', symbol: 'ETH', name: 'Ethereum', rank: 2 }),
      entry({ id: 'old', symbol: 'OLD', name: 'Etherum', rank: 0, is_active: false }),
      entry({ id: 'lset-ethereum', symbol: 'LSET', name: 'Staked\u001b Ethereum', rank: 178 }),
      entry({ id: 'a', name: 'A', rank: 900 }),
      entry({ id: 'b', name: 'B', rank: 901 }),
    ];
    const stubs: Stubs = {
      resolve: ({ symbol }) => {
        if (symbol === 'ETH') return resolved({ id: 'eth-ethereum', symbol, rank: 2 });
        throw new ApiFailure(404, 'Unknown symbol', { isAnswer: true });
      },
      search: ({ q }) => ({ query: q, count: results.length, results }),
    };
    expect(await textOf('cchart etherum', stubs)).toBe(
      [
        `Coin "etherum" was not found in CoinPaprika's database.`,
        'Did you mean: cchart ETH  Ethereum',
        '              cchart lset-ethereum  Staked Ethereum',
        '              cchart a  A',
        'Try: coinsearch etherum',
      ].join('\n'),
    );
  });
});

describe('usage errors', () => {
  test.each([
    ['cprice', 'Missing symbol\nUsage: cprice <symbol…> [options]'],
    ['coinsearch', 'Missing query\nUsage: coinsearch <query…> [options]'],
    [
      'price BTC --protocol coingecko',
      'Unknown value "coingecko" of --protocol; allowed: coinpaprika\nUsage: cprice <symbol…> [options]',
    ],
    [
      'cchart BTC --limit 367',
      'Unknown value "367" of --limit; allowed: a whole number from 1 to 366\nUsage: cchart <symbol> [options]',
    ],
    ['cchart BTC --line=yes', 'Option --line takes no value\nUsage: cchart <symbol> [options]'],
    [
      'cprice BTC --currency euro',
      'Unknown value "euro" of --currency; did you mean eur?\nUsage: cprice <symbol…> [options]',
    ],
    [
      'cchart BTC --quote btc --currency eur',
      'Prices are in a currency or in bitcoin; leave out one of --currency and --quote btc\nUsage: cchart <symbol> [options]',
    ],
    ['cchart BTC -line', 'Unknown option -line; did you mean --line?\nUsage: cchart <symbol> [options]'],
    ["cpirce 'A B' C", "Unknown command cpirce\nDid you mean: cprice 'A B' C"],
    [
      'cchart wrapped bitcoin',
      [
        'One coin at a time',
        'Did you mean: cchart wrapped --compare bitcoin',
        "              cchart 'wrapped bitcoin'",
        '              coinsearch wrapped bitcoin',
      ].join('\n'),
    ],
    ['help cpirce', 'Unknown command cpirce\nDid you mean: help cprice'],
    ['BTC', 'Unknown command BTC; known: cprice, coinsearch, cchart, help\nTry: help'],
  ])('%s', async (line, text) => {
    const output = await outputOf(line, btc);
    expect(output.text).toBe(text);
    expect(output.result).toMatchObject({ reason: 'usage' });
    expect(output.calls).toEqual([]);
  });

  test('after -- a word is no option', async () => {
    const { calls } = await outputOf('cprice -- -doggotothemoon', {});
    expect(calls[0]).toBe('resolve {"symbol":"-doggotothemoon"}');
  });
});

describe('help', () => {
  test('is also shown for the word help alone, and a coin of that name is found behind --', async () => {
    expect(await textOf('cprice help', {})).toBe(await textOf('help cprice', {}));
    expect(await textOf('coinsearch HELP', {})).toBe(await textOf('help coinsearch', {}));
    const { calls } = await outputOf('cprice -- help', {});
    expect(calls[0]).toBe('resolve {"symbol":"help"}');
  });

  test.each(['help cchart', 'help chart', 'cchart --help', 'cchart BTC -h'])(
    '%s shows its usage',
    async (line) => {
      expect(await textOf(line, {})).toMatch(
        /^Usage: cchart <symbol> \[options\]\n {7}chart <symbol> --protocol/,
      );
    },
  );
});
