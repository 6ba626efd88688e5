import { beforeEach, describe, expect, it, vi } from 'vitest';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import { daysBefore, exactCandle, putDays } from '../../../test/history/stored.ts';
import { useMoneyWorld } from '../../../test/money/world.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { NOW } from '../../../test/tokens/world.ts';
import { route } from './route.ts';

const world = useMoneyWorld();
const TODAY = NOW - (NOW % DAY_MS);
/** When `putPrices` says that its prices were made. */
const MADE = '2026-09-18T04:11:00Z';

beforeEach(() => {
  world().putPrices({
    'btc-bitcoin': 60_000,
    'eth-ethereum': 2_500,
    'cat-0': 1.25e-9,
    'eur-euro-coin': null,
  });
  world().putRates('2026-09-17');
});

const { send } = underTest(route, () => import('./handler.ts'));
const get = (file: string, query: string) => send({ path: `/export/${file}`, query });

async function textOf(file: string, query: string): Promise<string> {
  const { status, body } = await get(file, query);
  expect([status, body]).toEqual([200, expect.any(String)]);
  return body;
}

async function linesOf(file: string, query: string): Promise<string[]> {
  return (await textOf(file, query)).trimEnd().split(/\r?\n/);
}

async function errorOf(file: string, query: string): Promise<unknown> {
  const { status, headers, body } = await get(file, query);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  const { success, error } = JSON.parse(body);
  expect(success).toBe(false);
  return [status, error];
}

describe('a list of prices', () => {
  it('has names that contain a short key of this service', async () => {
    vi.stubEnv('CLIENT_API_KEY', 'test');

    expect(await textOf('prices.csv', 'ids=btc-bitcoin:Latest+token')).toContain(',Latest token,');
  });

  it('as CSV has a header, lines that end in CRLF, and a row for each coin once', async () => {
    const { status, headers, body } = await get('prices.csv', 'ids=eth-ethereum,btc-bitcoin,eth-ethereum');

    expect([status, headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'inline; filename="prices.csv"',
        'x-data-source': 'simulated',
        'x-data-quality': 'exact',
        'x-data-time': new Date(MADE).toISOString(),
        'cache-control': publicFor(540),
      }),
    ]);
    expect(body.endsWith('\r\n')).toBe(true);
    const [header, ...rows] = body.trimEnd().split('\r\n');
    expect(header).toBe(
      'id,symbol,name,price,market_cap,volume_24h,percent_change_1h_usd,percent_change_24h_usd,percent_change_7d_usd,percent_change_30d_usd,percent_change_1y_usd,rank,quality,source,time',
    );
    expect(rows.map((row) => row.split(',').slice(0, 4))).toEqual([
      ['eth-ethereum', 'ETH', 'Name of eth-ethereum', '2500'],
      ['btc-bitcoin', 'BTC', 'Name of btc-bitcoin', '60000'],
    ]);
    expect(rows[0]?.split(',').slice(-3)).toEqual(['exact', 'simulated', MADE]);
    world().expectNobodyAsked();
  });

  it('as CSV has empty cells for a coin without a stored price, and no exponents', async () => {
    const [, none, small] = await linesOf('prices.csv', 'ids=tail-coin,cat-0');
    expect(none).toBe('tail-coin,TAI,Name of tail-coin,,,,,,,,,,,,');
    expect(small?.split(',')[3]).toBe('0.00000000125');
  });

  it('as CSV has no cell that a spreadsheet runs as a formula', async () => {
    expect(await textOf('prices.csv', 'ids=btc-bitcoin:%EF%BC%9D1%2B1')).toContain(",'＝1+1,");
    world().putPrices({ '-doggotothemoon': 1, 'btc-bitcoin': 1 });
    const [, odd, named] = await linesOf('prices.csv', 'ids=-doggotothemoon,btc-bitcoin:%3D1%2B1');
    expect(odd?.split(',').slice(0, 2)).toEqual(["'-doggotothemoon", "'-DO"]);
    expect(named?.split(',')[1]).toBe("'=1+1");
  });

  it('is in another currency with the weaker quality of the two, and every source', async () => {
    world().putRates('2026-09-11');
    const [, row] = await linesOf('prices.csv', 'ids=btc-bitcoin&quote=gbp');
    // 60,000 / 1.25 × 0.8, at a rate that is a week old.
    expect(row).toMatch(
      /^btc-bitcoin,BTC,Name of btc-bitcoin,38400,.*,stale,"simulated,ecb",2026-09-18T04:11:00Z$/,
    );
    expect((await linesOf('prices.csv', 'ids=eth-ethereum&quote=btc'))[1]).toContain(',0.041667,');
  });

  it('as ledger prices quotes names if necessary, and names missing coins', async () => {
    world().putPrices({ 'btc-bitcoin': 60_000, 'eth-ethereum': 2_500, '战旗-战旗': 2 });
    world().putTail({ 'tail-coin': 0.5 });
    const { headers, body } = await get(
      'prices.ledger',
      `ids=btc-bitcoin:1%3B%22,eth-ethereum,tail-coin,${encodeURIComponent('战旗-战旗')},cat-0&quote=usd:$`,
    );
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'inline; filename="prices.ledger"',
    });
    expect(body.split('\n')).toEqual([
      '; No price of cat-0 is available; /api/marketdata/ticker/cat-0 fetches it',
      '; "1__": exact, simulated',
      'P 2026-09-18 04:11:00 "1__" 60000 "$"',
      '; ETH: exact, simulated',
      'P 2026-09-18 04:11:00 ETH 2500 "$"',
      '; TAI: exact, defillama',
      'P 2026-09-18 04:10:00 TAI 0.5 "$"',
      '; "战旗": exact, simulated',
      'P 2026-09-18 04:11:00 "战旗" 2 "$"',
      '',
    ]);
  });

  it.each([
    ['XBT', 'XBT'],
    ['', 'BTC'],
    ['true', 'XTRUE'],
    ['USD+', 'USD_2B'],
    ['战旗', 'X_6218_65D7'],
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'ABCDEFGHIJKLMNOPQRSTUVWX'],
    ['--', 'XX'],
  ])('as Beancount prices spells the name %s as %s', async (name, spelled) => {
    const id = name === '' ? 'btc-bitcoin' : `btc-bitcoin:${name}`;
    const lines = await linesOf('prices.beancount', `ids=${encodeURIComponent(id)}`);
    expect(lines).toEqual([`; ${spelled}: exact, simulated`, `2026-09-18 price ${spelled} 60000 USD`]);
  });

  it('in which two coins have one name is refused', async () => {
    const next = 'give one a name of its own, such as';
    expect(await errorOf('prices.ledger', 'ids=cat-0,cat-1')).toEqual([
      400,
      `Invalid parameter ids: cat-0 and cat-1 are both called CAT; ${next} cat-1:NAME`,
    ]);
    expect(await errorOf('prices.beancount', 'ids=btc-bitcoin&quote=btc')).toEqual([
      400,
      `Invalid parameter ids: the quote and btc-bitcoin are both called BTC; ${next} btc-bitcoin:NAME`,
    ]);
    expect((await get('prices.csv', 'ids=cat-0,cat-1')).status).toBe(200);
    expect((await get('prices.ledger', 'ids=cat-0,cat-1:CAT2')).status).toBe(200);
  });

  it('as gauges has a quality, a time, and no sample for a coin without a price', async () => {
    world().putPrices({ 'btc-bitcoin': 60_000 }, { isDisputed: () => true });
    const { headers, body } = await get('prices.prom', 'ids=btc-bitcoin:a%22b%5C,tail-coin');
    expect(headers).toMatchObject({ 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    const labels = 'id="btc-bitcoin",symbol="a\\"b\\\\",quote="usd",quality="disputed",source="simulated"';
    const lines = body.trimEnd().split('\n');
    expect(lines).toContain(`marketdata_price{${labels}} 60000`);
    expect(lines).toContain(`marketdata_timestamp_seconds{${labels}} ${Date.parse(MADE) / 1000}`);
    expect(lines.at(-1)).toBe(
      '# No price of tail-coin is available; /api/marketdata/ticker/tail-coin fetches it',
    );
    expect(body).not.toContain('id="tail-coin"');
  });
});

describe('a list of the past', () => {
  beforeEach(() => {
    putDays(world().s3, 'btc-bitcoin', daysBefore(TODAY, 3));
    putDays(world().s3, 'eth-ethereum', [
      ...daysBefore(TODAY - DAY_MS, 2),
      exactCandle(TODAY - DAY_MS, DAY_MS, 7.5e-9, { low: 5e-9 }),
    ]);
  });

  it('as CSV has candles of all its coins, without upstream requests', async () => {
    const { headers, body } = await get(
      'history.csv',
      'ids=eth-ethereum,btc-bitcoin,tail-coin&start=2026-09-16',
    );
    const [header, ...rows] = body.trimEnd().split('\r\n');
    expect(header).toBe('id,time,open,high,low,close,volume,market_cap,quality,source');
    expect(rows.map((row) => row.split(',').slice(0, 2).join(' '))).toEqual([
      'eth-ethereum 2026-09-16T00:00:00Z',
      'eth-ethereum 2026-09-17T00:00:00Z',
      'eth-ethereum 2026-09-18T00:00:00Z',
      'btc-bitcoin 2026-09-16T00:00:00Z',
      'btc-bitcoin 2026-09-17T00:00:00Z',
      'btc-bitcoin 2026-09-18T00:00:00Z',
    ]);
    expect(rows[1]).toBe(
      'eth-ethereum,2026-09-17T00:00:00Z,0.0000000075,0.000000009,0.000000005,0.00000000825,,,exact,coinbase',
    );
    expect(headers).toMatchObject({
      'content-disposition': 'inline; filename="history.csv"',
      'x-data-source': 'coinpaprika,coinbase,simulated', // the running day is made of the price now
      'x-data-quality': 'derived',
    });
    world().expectNobodyAsked();
  });

  it('as ledger prices has each close at its end, and marks changes of quality or source', async () => {
    expect(
      await linesOf('history.ledger', 'ids=eth-ethereum,tail-coin&start=2026-09-15&end=2026-09-17'),
    ).toEqual([
      '; No history of tail-coin is available; it is fetched if it is the only id',
      '; ETH: sampled, coinpaprika',
      'P 2026-09-15 23:59:59 ETH 110.00000000000001 USD',
      'P 2026-09-16 23:59:59 ETH 111.10000000000001 USD',
      '; ETH: exact, coinbase',
      'P 2026-09-17 23:59:59 ETH 0.00000000825 USD',
    ]);
  });

  it('as Beancount prices has one price a day, the last', async () => {
    const lines = await linesOf('history.beancount', 'ids=btc-bitcoin:XBT&start=2026-09-16&end=2026-09-17');
    expect(lines).toEqual([
      '; XBT: sampled, coinpaprika',
      '2026-09-16 price XBT 111.10000000000001 USD',
      '2026-09-17 price XBT 112.2 USD',
    ]);
  });

  it('of one coin fetches missing candles, as the route of candles does', async () => {
    await get('history.csv', 'ids=tail-coin&start=2026-09-16');
    expect(world().asked).toEqual([expect.stringContaining('tail-coin')]);
  });

  it('of more than 20 coins, in no currency, or in one without rates, is refused', async () => {
    const ids = Array.from({ length: 21 }, (_, index) => `cat-${index}`).join(',');
    expect(await errorOf('history.csv', `ids=${ids}`)).toEqual([
      400,
      'Invalid parameter ids: 21 items; allowed: 1 to 20, separated by commas',
    ]);
    expect(await errorOf('history.csv', 'ids=btc-bitcoin&quote=eth')).toEqual([
      400,
      'Invalid parameter quote: "eth"; allowed: btc, or the ISO 4217 code of a currency such as usd or eur',
    ]);
    world().s3.objects.delete('/bucket/snapshot/rates.v1');
    expect(await errorOf('history.csv', 'ids=btc-bitcoin&quote=uah')).toEqual([
      503,
      'No exchange rate of UAH is available; use USD, or try again later',
    ]);
  });
});

describe('a file', () => {
  it('is a 503 with a time to wait while the price of the quote is too old', async () => {
    vi.setSystemTime(NOW + 13 * 3_600_000);
    expect(await get('prices.csv', 'ids=eth-ethereum&quote=btc')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '10' },
    });
  });

  it.each([
    ['prices.csv', 'ids=btc-bitcoin,', 400, /^Invalid parameter ids, number 2: ""; allowed: a coin id/],
    [
      'prices.csv',
      'ids=btc-bitcoin&start=2026-01-01',
      400,
      'Unknown parameter: start. Prices accept ids, quote',
    ],
    ['prices.csv', 'ids=btc-bitcoin,no-coin:X', 404, /^Unknown coin id: no-coin/],
    [
      'prices.xlsx',
      'ids=btc-bitcoin',
      404,
      /^No such route: \/export\/prices.xlsx; there are \/export\/prices.csv, /,
    ],
    ['history.prom', 'ids=btc-bitcoin', 404, /^No such route: \/export\/history.prom; there are /],
  ])('that cannot be served explains why: %s?%s', async (file, query, status, text) => {
    const error = text instanceof RegExp ? expect.stringMatching(text) : text;
    expect(await errorOf(file, query)).toEqual([status, error]);
    world().expectNobodyAsked();
  });
});
