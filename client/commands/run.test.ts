import { describe, expect, test } from 'vitest';
import {
  candles,
  entry,
  euroRates,
  resolved,
  resolveIn,
  type Stubs,
  stubApi,
  tickerOf,
} from '../../test/client/stub-api.ts';
import { ApiFailure, type MarketdataOhlcvData, type MarketdataSearchData } from '../sdk/index.ts';
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

async function outputOf(
  line: string,
  stubs: Stubs,
  { headers = EXACT, hasKey = false, width = 80 }: Setting = {},
) {
  const { api, calls } = stubApi(stubs, headers);
  const now = () => NOW;
  const rates = sessionRates(api, now);
  const context = {
    api,
    rates,
    tickers: sessionTickers(now),
    now,
    keySetting: 'THE_SETTING',
    hasKey: () => hasKey,
  };
  const result = await runLine(line, context);
  return { text: plainText(resultLines(result, { width, now: NOW })), result, calls };
}

async function textOf(line: string, stubs: Stubs, setting?: Setting): Promise<string> {
  return (await outputOf(line, stubs, setting)).text;
}

const btc: Stubs = { resolve: () => resolved(), ticker: () => tickerOf() };

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
    'price BTC',
    'price BTC --protocol coinpaprika',
    'CPRICE BTC',
    'cprice --protocol=coinpaprika BTC',
  ])('%s is the same command', async (line) => {
    expect(await textOf(line, btc)).toBe(await textOf('cprice BTC', btc));
  });

  test('numbers that the provider does not know are n/a', async () => {
    const unknown = { price: null, percent_change_24h: null, market_cap: null, volume_24h: null };
    const stubs = { ...btc, ticker: () => tickerOf({ rank: null }, unknown) };

    expect(await textOf('cprice BTC', stubs)).toBe(
      [
        'Bitcoin (BTC)',
        'Price:       n/a',
        '24h change:  n/a',
        'Market cap:  n/a (unranked)',
        '24h volume:  n/a',
        'Source:      CoinPaprika, as of 12:03 UTC',
      ].join('\n'),
    );
  });

  test.each([
    [3, 'CAT is also the symbol of 3 other coins: coinsearch CAT'],
    [1, 'CAT is also the symbol of 1 other coin: coinsearch CAT'],
  ])(
    'of a symbol that %s others nearly as well known have, the second line says so',
    async (alternatives, note) => {
      const cat = { id: 'cat-simons-cat', name: "Simon's Cat", symbol: 'CAT', rank: 658 };
      const stubs: Stubs = {
        resolve: () => resolved({ ...cat, alternatives, isAmbiguous: true }),
        ticker: () => tickerOf(cat),
      };
      const { text, calls } = await outputOf('cprice CAT', stubs);
      expect(text.split('\n').slice(0, 2)).toEqual(["Simon's Cat (CAT)", note]);
      expect(calls).toEqual(['resolve {"symbol":"CAT"}', 'ticker {"id":"cat-simons-cat"}']);
    },
  );

  test('of a symbol that is plain nothing is said of others', async () => {
    const shared = await textOf('cprice BTC', {
      ...btc,
      resolve: () => resolved({ alternatives: 3, isAmbiguous: false }),
    });
    expect(shared).toBe(await textOf('cprice BTC', btc));
  });

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
  ])('%s means the coin of that name, and tells of the symbol', async (line, title) => {
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

  test('words of which none is a coin are looked for together', async () => {
    expect(await textOf('cprice bitconi cashh', byName)).toBe(
      [
        `Coin "bitconi cashh" was not found in CoinPaprika's database.`,
        'Did you mean: cprice BCH  Bitcoin Cash',
        "Try: coinsearch 'bitconi cashh'",
      ].join('\n'),
    );
  });

  test('a coin that is gone is called so', async () => {
    const stubs: Stubs = {
      resolve: () => resolved({ is_active: false, foundBy: 'id' }),
      ticker: () => tickerOf(),
    };
    const text = await textOf('cprice btc-bitcoin', stubs);
    expect(text.split('\n')[1]).toBe('This coin is no longer active.');
  });

  test.each([
    ['stale', 'coinpaprika', 'CoinPaprika, as of 12:03 UTC, provider unreachable'],
    ['disputed', 'coinpaprika', 'CoinPaprika, as of 12:03 UTC; disputed: exchanges differ by more than 10 %'],
    ['exact', 'coinbase', 'Coinbase, as of 12:03 UTC'],
    [
      'sampled',
      'coinbase,kraken',
      'Coinbase and Kraken, as of 12:03 UTC; folded from prices every ten minutes',
    ],
    ['exact', 'coinbase, kraken,binance', 'Coinbase, Kraken and Binance, as of 12:03 UTC'],
    ['stale', 'defillama', 'DefiLlama, as of 12:03 UTC, provider unreachable'],
    ['exact', 'coinbase,other', 'Coinbase and other, as of 12:03 UTC'],
    ['exact', 'simulated', 'simulated data, not real prices, as of 12:03 UTC'],
    ['stale', 'simulated', 'simulated data, not real prices, as of 12:03 UTC, provider unreachable'],
    [
      'exact',
      'coinbase,simulated,kraken',
      'Coinbase and Kraken, in part simulated data, not real prices, as of 12:03 UTC',
    ],
    ['exact', 'other', 'other, as of 12:03 UTC'],
    ['exact', 'other\u009b2J', 'other 2J, as of 12:03 UTC'],
    ['exact', ',', 'CoinPaprika, as of 12:03 UTC'],
  ])('%s data of %s is said to be that', async (quality, source, said) => {
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

  test("a coin's name cannot steer the terminal", async () => {
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

  test('to keep the ids, names are shortened, and then ids stand in lines of their own', async () => {
    const rowsAt = async (width: number) =>
      (await textOf('coinsearch wrapped ether', found(ether), { width })).split('\n').slice(1, -1);
    expect(await rowsAt(67)).toEqual([
      '1. WETH   Wrapped Ether      #19       token            weth-weth',
      '2. WETH2  Wrapped Ether (o…  Unranked  token            weth2-other',
      '3. WETH   Wrapped Ether (o…  Unranked  token, inactive  weth-old',
    ]);
    expect((await rowsAt(41)).map((row) => row.trimEnd())).toEqual([
      '1. WETH   Wrapped Ether          #19',
      '   weth-weth  token',
      '2. WETH2  Wrapped Ether (other)  Unranked',
      '   weth2-other  token',
      '3. WETH   Wrapped Ether (old)    Unranked',
      '   weth-old  token, inactive',
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

  test('wide characters keep the columns', async () => {
    const results = [
      entry({ id: '战旗-战旗', symbol: '战旗', name: '战旗', rank: 0, type: 'token' }),
      entry({ symbol: 'ABCDE', name: 'Abc' }),
    ];
    expect(await textOf('coinsearch 战旗', found(results))).toBe(
      [
        'Coins like "战旗"',
        '1. 战旗   战旗  Unranked  token  战旗-战旗',
        '2. ABCDE  Abc   #1        coin   btc-bitcoin',
        'For a price: cprice <symbol>, such as cprice ABCDE, or by its number: cprice 2',
      ].join('\n'),
    );
  });

  test('a query in quotes and a limit reach the service', async () => {
    const { calls } = await outputOf('coinsearch "wrapped ether" --limit 5', found([]));
    expect(calls).toEqual(['search {"q":"wrapped ether","limit":5}']);
  });

  test('no match is said in words', async () => {
    expect(await textOf('coinsearch xyzzy', found([]))).toBe(
      'No coin matches "xyzzy".\nTry fewer or other words.',
    );
  });
});

describe('cchart', () => {
  const data = candles([
    [100, 110, 95, 105],
    [105, 120, 104, 118],
  ]);
  const chart = (changes: Partial<MarketdataOhlcvData> = {}): Stubs => ({
    resolve: () => resolved(),
    ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data, ...changes }),
  });

  test('asks for the defaults of the route, and heads the chart with price, change and range', async () => {
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

  test.each([
    ['24h', 'Source: CoinPaprika, as of 12:03 UTC; daily closes where no candles are known'],
    ['1h', 'Source: CoinPaprika, as of 12:03 UTC; hourly closes where no candles are known'],
  ])('derived candles of %s say what they are made of', async (interval, source) => {
    const headers = { ...EXACT, 'x-data-quality': 'derived' };
    const text = await textOf('cchart BTC', chart({ interval }), { headers });
    expect(text.split('\n').at(-1)).toBe(source);
  });

  test('a chart of several sources names them all', async () => {
    const headers = { ...EXACT, 'x-data-source': 'coinbase,coinpaprika' };
    const text = await textOf('cchart BTC', chart(), { headers });
    expect(text.split('\n').at(-1)).toBe('Source: Coinbase and CoinPaprika, as of 12:03 UTC; exact candles');
  });

  test('candles of samples say so', async () => {
    const headers = { ...EXACT, 'x-data-quality': 'sampled' };
    expect((await textOf('cchart BTC', chart({}), { headers })).split('\n').at(-1)).toBe(
      'Source: CoinPaprika, as of 12:03 UTC; folded from prices every ten minutes',
    );
  });

  test('no candles at all is said in words', async () => {
    expect(await textOf('cchart BTC', chart({ count: 0, data: [] }))).toBe(
      'Bitcoin (BTC), 0 daily candles in USD\nNo candles in this time.\nSource: CoinPaprika, as of 12:03 UTC',
    );
  });

  test('prices in bitcoin are written as such', async () => {
    const text = await textOf('cchart BTC --quote btc', chart({ quote: 'btc' }));
    expect(text.split('\n')[1]).toBe('118.00 BTC 48h +18.00%  low 95.00 BTC, high 120.00 BTC');
  });
});

describe('--currency', () => {
  const data = candles([
    [100, 110, 95, 105],
    [105, 120, 104, 118],
  ]);
  const inEuros: Stubs = {
    ...btc,
    rates: () => euroRates(),
    ohlcv: ({ id }) => ({ coinId: id, interval: '24h', quote: 'usd', count: data.length, data }),
  };
  const down: Stubs = {
    ...inEuros,
    rates: failing(new ApiFailure(503, 'No exchange rates yet', { isAnswer: true })),
  };

  test.each(['cprice BTC --currency eur', 'cprice --currency=EUR BTC'])(
    '%s tells amounts in euros, and at which rate',
    async (line) => {
      const { text, calls, result } = await outputOf(line, inEuros);
      expect(text).toBe(
        [
          'Bitcoin (BTC)',
          'Price:       €53,698.76',
          '24h change:  +2.31%',
          'Market cap:  €1.06T (rank #1)',
          '24h volume:  €22.74B',
          'Source:      CoinPaprika, as of 12:03 UTC; in EUR at the rate of 30 January (CoinPaprika)',
        ].join('\n'),
      );
      expect(calls.filter((call) => call.startsWith('rates'))).toHaveLength(1);
      expect(result).toMatchObject({ prices: [{ data: tickerOf() }] }); // as the service told it
    },
  );

  test('a chart is in it from end to end, and says that this is one rate for all candles', async () => {
    expect(await textOf('cchart BTC --currency jpy', { ...inEuros, ticker: undefined })).toBe(
      [
        'Bitcoin (BTC), 2 daily candles in JPY',
        '¥16,992 48h +18.00%  low ¥13,680, high ¥17,280',
        'Source: CoinPaprika, as of 12:03 UTC; exact candles; all in JPY at the rate of 30 January (CoinPaprika)',
      ].join('\n'),
    );
  });

  test.each([
    'cprice BTC',
    'cprice BTC --currency usd',
    'cchart BTC --currency USD',
    'cchart BTC --quote btc',
  ])('%s asks for no rates', async (line) => {
    const { calls, result } = await outputOf(line, inEuros);
    expect(calls.filter((call) => call.startsWith('rates'))).toEqual([]);
    expect(result).toMatchObject({ conversion: undefined });
  });

  test('of a code that there is no rate of is told with those that there are, and is not found', async () => {
    const { text, result } = await outputOf('cprice BTC --currency xts', inEuros);
    expect(text).toBe('Currency "XTS" was not found: there is no exchange rate of it.\nKnown: EUR, JPY, USD');
    expect(result).toMatchObject({ reason: 'not-found' });
  });

  test('of a coin that is unknown too names the coin', async () => {
    const text = await textOf('cprice NOSUCH --currency xts', { rates: () => euroRates() });
    expect(text).toContain('Coin "NOSUCH" was not found');
  });

  test.each(['cprice', 'cchart'])('%s gives no dollars where there are no rates', async (command) => {
    const { text, result } = await outputOf(`${command} BTC --currency eur`, down);
    expect(text).toBe('Exchange rate fetch failed for EUR: No exchange rates yet');
    expect(result).toMatchObject({ reason: 'unavailable' });
  });

  test('a limit of the service on rates says when to retry, and nothing of a provider', async () => {
    const rates = failing(
      new ApiFailure(429, 'Rate limit exceeded', { retryAfterSeconds: 9, isAnswer: true }),
    );
    expect(await textOf('cprice BTC --currency eur', { ...inEuros, rates })).toBe(
      'Rate limit exceeded\nTry again in 9 seconds (12:04 UTC).',
    );
  });
});

describe('errors', () => {
  test.each(['cprice', 'cchart'])('%s of an unknown symbol names the search', async (command) => {
    const { text, result } = await outputOf(`${command} NOSUCH`, {});
    expect(text).toBe(`Coin "NOSUCH" was not found in CoinPaprika's database.\nTry: coinsearch NOSUCH`);
    expect(result).toMatchObject({ reason: 'not-found' });
  });

  test('coins that may be meant are named, at most three, by what finds them', async () => {
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

  test('a symbol that a shell would read otherwise is quoted in the hint', async () => {
    expect(await textOf(`cprice 'A $B'`, {})).toBe(
      `Coin "A $B" was not found in CoinPaprika's database.\nTry: coinsearch 'A $B'`,
    );
  });

  test('a coin that the registry has and the provider has not is not found either', async () => {
    const gone = failing(new ApiFailure(404, 'No coin has the id btc-bitcoin', { isAnswer: true }));
    expect(await textOf('cprice BTC', { ...btc, ticker: gone })).toBe(
      `Coin "BTC" was not found in CoinPaprika's database.\nTry: coinsearch BTC`,
    );
  });

  test.each([
    [42, 'Try again in 42 seconds (12:04 UTC).'],
    [1, 'Try again in 1 second (12:04 UTC).'],
    [600, 'Try again in 10 minutes (12:14 UTC).'],
    [86_400, 'Try again in 24 hours (2026-02-01 12:04 UTC).'],
    [undefined, 'Try again in a minute.'],
  ])('a rate limit with Retry-After %s says when to retry', async (retryAfterSeconds, retry) => {
    const limited = failing(
      new ApiFailure(429, 'Rate limit exceeded', { retryAfterSeconds, isAnswer: true }),
    );
    const { text, result } = await outputOf('cprice BTC', { ...btc, ticker: limited });

    expect(text).toBe(
      `Rate limit exceeded\nCoinPaprika's free tier allows 25,000 requests per month.\n${retry}`,
    );
    expect(result).toMatchObject({ reason: 'rate-limited' });
  });

  test.each([
    ['cprice BTC', 'Price fetch failed for BTC: connect ECONNREFUSED 127.0.0.1:3000'],
    ['cchart BTC', 'Chart fetch failed for BTC: connect ECONNREFUSED 127.0.0.1:3000'],
    [
      'coinsearch wrapped ether',
      'Search fetch failed for wrapped ether: connect ECONNREFUSED 127.0.0.1:3000',
    ],
  ])('%s without a network says what failed and why', async (line, text) => {
    const down = failing(new ApiFailure(undefined, 'connect ECONNREFUSED 127.0.0.1:3000'));
    const output = await outputOf(line, { resolve: down, search: down });
    expect(output.text).toBe(text);
    expect(output.result).toMatchObject({ reason: 'unavailable', isUnreachable: true });
  });

  test('a machine without a network is told as that, and not as a service that is down', async () => {
    const cause = Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH' });
    const down = failing(new ApiFailure(undefined, 'connect ENETUNREACH 192.0.2.1:443', { cause }));
    const { text, result } = await outputOf('cprice BTC', { resolve: down });
    expect(text).toBe(
      'Price fetch failed for BTC: this machine is offline, or its network is down (ENETUNREACH)',
    );
    expect(result).toMatchObject({ reason: 'unavailable', isUnreachable: true, isOffline: true });
  });

  test.each([
    [500, 'Server configuration error', 'failed'],
    [502, 'CoinPaprika is unreachable', 'unavailable'],
    [503, 'The coin registry cannot be opened', 'unavailable'],
    [504, 'CoinPaprika does not answer in time', 'unavailable'],
  ])('a %s is told in the words of the service', async (status, message, reason) => {
    const broken = failing(new ApiFailure(status, message, { isAnswer: true }));
    const { text, result } = await outputOf('cprice BTC', { ...btc, ticker: broken });
    expect(text).toBe(`Price fetch failed for BTC: ${message}`);
    expect(result).toMatchObject({ reason });
  });

  test.each([
    [false, 'Unauthorized: the service wants an API key. Set it in THE_SETTING.'],
    [true, 'Unauthorized: the service does not accept the API key in THE_SETTING.'],
  ])('a 401 names the setting that holds the key (key given: %s)', async (hasKey, text) => {
    const unauthorized = failing(new ApiFailure(401, 'Unauthorized', { isAnswer: true }));
    const { result, ...output } = await outputOf('cprice BTC', { resolve: unauthorized }, { hasKey });
    expect(output.text).toBe(text);
    expect(result).toMatchObject({ reason: 'unauthorized' });
  });

  test('a value that the service refuses is a usage error in its words', async () => {
    const message = 'Invalid parameter start: "soon"; allowed: an ISO 8601 date or time';
    const refused = failing(new ApiFailure(400, message, { isAnswer: true }));
    const { text, result } = await outputOf('cchart BTC --start soon', { ...btc, ohlcv: refused });
    expect(text).toBe(message);
    expect(result).toMatchObject({ reason: 'usage' });
  });

  test('a 404 of something else than the service says nothing about the coin', async () => {
    const foreign = failing(
      new ApiFailure(404, 'http://localhost:3000 does not answer as the market-data API does'),
    );
    expect(await textOf('cprice BTC', { resolve: foreign })).toBe(
      'Price fetch failed for BTC: http://localhost:3000 does not answer as the market-data API does',
    );
  });
});

describe('usage errors', () => {
  test.each([
    ['cprice', 'Missing symbol\nUsage: cprice <symbol…> [options]'],
    ['cprice ""', 'Missing symbol\nUsage: cprice <symbol…> [options]'],
    ['coinsearch', 'Missing query\nUsage: coinsearch <query…> [options]'],
    [
      'price BTC --protocol coingecko',
      'Unknown value "coingecko" of --protocol; allowed: coinpaprika\nUsage: cprice <symbol…> [options]',
    ],
    [
      'cchart BTC --interval 2h',
      'Unknown value "2h" of --interval; allowed: 1h, 24h, 7d, 14d, 30d, 90d, 365d\nUsage: cchart <symbol> [options]',
    ],
    [
      'cchart BTC --limit 367',
      'Unknown value "367" of --limit; allowed: a whole number from 1 to 366\nUsage: cchart <symbol> [options]',
    ],
    [
      'cchart BTC --limit',
      'Option --limit needs a value; allowed: a whole number from 1 to 366\nUsage: cchart <symbol> [options]',
    ],
    ['cchart BTC --line=yes', 'Option --line takes no value\nUsage: cchart <symbol> [options]'],
    ['cchart BTC --line --line', 'Option --line is given twice\nUsage: cchart <symbol> [options]'],
    [
      'cprice BTC --currency euro',
      'Unknown value "euro" of --currency; did you mean eur?\nUsage: cprice <symbol…> [options]',
    ],
    [
      'cchart BTC --quote btc --currency eur',
      '--currency is for prices in US dollars; leave out one of --currency and --quote btc\nUsage: cchart <symbol> [options]',
    ],
    [
      'cprice BTC --line',
      'Unknown option --line; known: --currency, --protocol\nUsage: cprice <symbol…> [options]',
    ],
    [
      'cprice BTC --currancy=eur',
      'Unknown option --currancy=eur; did you mean --currency?\nUsage: cprice <symbol…> [options]',
    ],
    ['cchart BTC -line', 'Unknown option -line; did you mean --line?\nUsage: cchart <symbol> [options]'],
    ["cpirce 'A B' C", "Unknown command cpirce\nDid you mean: cprice 'A B' C"],
    ['chrat BTC', 'Unknown command chrat\nDid you mean: chart BTC'],
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
    ['help BTC', 'Unknown command BTC; known: cprice, coinsearch, cchart, help\nTry: help'],
    ['cprice "BTC', 'The quote " is not closed\nTry: help'],
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
  test('is also told of the word help alone, and a coin of that name is found behind --', async () => {
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
